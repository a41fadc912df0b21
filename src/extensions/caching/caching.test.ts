import { afterEach, describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { redactExtension } from '../redact/redact.ts'
import { type CachingExtensionOptions, cachingExtension } from './caching.ts'

const URN = 'urn:forrst:ext:caching'
const TTL = 300

function setUp(
  store: Store,
  options: Omit<CachingExtensionOptions, 'store'> = {},
  ttl: unknown = TTL,
) {
  const clock = createTestClock()
  const log = createTestLog()
  const orders = new Map([['ord_1', 1]])
  const counts = { get: 0, list: 0 }
  const declare = (members: object) => [{ urn: URN, ...members }]
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [
      defineFunction({
        name: 'orders.get',
        version: '1.0.0',
        readOnly: true,
        extensions: declare({ ttl, tags: ['orders', 'order:{id}'] }),
        handler({ call: { arguments: input }, principal }) {
          counts.get++
          const total = orders.get(String(input['id']))
          if (total === undefined) throw new CallError('NOT_FOUND')
          return { total, for: principal?.id ?? null, email: 'a@example.com' }
        },
      }),
      defineFunction({
        name: 'orders.count',
        version: '1.0.0',
        readOnly: true,
        extensions: declare({ ttl, shared: true }),
        handler: () => ({ count: ++counts.list }),
      }),
      defineFunction({
        name: 'orders.plain',
        version: '1.0.0',
        readOnly: true,
        handler: () => ({ plain: true }),
      }),
      defineFunction({
        name: 'orders.update',
        version: '1.0.0',
        writes: ['update'],
        extensions: declare({ tags: ['order:{id}'] }),
        handler({ call: { arguments: input } }) {
          orders.set(String(input['id']), Number(input['total']))
          if (input['fail'] === true) throw new CallError('CONFLICT')
          return null
        },
      }),
      defineFunction({
        name: 'orders.create',
        version: '1.0.0',
        sideEffects: ['create'],
        handler: () => ({ created: true }),
      }),
    ],
    extensions: [cachingExtension({ ...options, store }), redactExtension()],
    authenticate: ({ header }) => {
      const id = header('x-user')
      return id === undefined ? undefined : { id }
    },
    clock,
    log,
  })
  const ask = (
    entry: Record<string, unknown> = {},
    {
      name = 'orders.get',
      input = { id: 'ord_1' } as Record<string, unknown>,
      user = '',
      context = undefined as object | undefined,
      extensions = [] as object[],
    } = {},
  ) =>
    call(
      service,
      {
        function: name,
        arguments: input,
        extensions: [{ urn: URN, options: entry }, ...extensions],
        ...(context && { context }),
      },
      user === '' ? {} : { headers: { 'x-user': user } },
    )
  const update = (input: Record<string, unknown>) =>
    call(service, { function: 'orders.update', arguments: { id: 'ord_1', ...input } })
  return { service, clock, log, counts, ask, update }
}

const etagOf = (response: Parameters<typeof dataOf>[0]) => String(dataOf(response, URN)?.['etag'])

describe.each(TEST_STORES)('caching extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (...rest: [Parameters<typeof setUp>[1]?, unknown?]) => {
    test = await open()
    return { ...setUp(test.store, ...rest), ...test }
  }

  it('[F-199] answers null and "hit" to a caller who has the current result', async () => {
    const { ask } = await prepare()
    const first = await ask()
    expect(dataOf(first, URN)).toEqual({
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      max_age: { value: TTL, unit: 'second' },
      last_modified: '2024-01-15T10:30:00.000Z',
      cache_status: 'miss',
    })
    const etag = etagOf(first)
    for (const if_none_match of [etag, `W/${etag}`, etag.slice(1, -1)]) {
      const second = await ask({ if_none_match })
      expect(second.status).toBe(200)
      expect(second.body.result).toBeNull()
      expect(dataOf(second, URN)).toMatchObject({ etag, cache_status: 'hit' })
    }
  })

  it('[F-200] answers the full result and a new quoted etag when it has changed', async () => {
    const { ask, update } = await prepare()
    const before = etagOf(await ask())
    await update({ total: 2 })
    const after = await ask({ if_none_match: before })
    expect(after.body.result).toMatchObject({ total: 2 })
    expect(dataOf(after, URN)).toMatchObject({ cache_status: 'miss' })
    expect(etagOf(after)).toMatch(/^"[0-9a-f]{32}"$/)
    expect(etagOf(after)).not.toBe(before)
  })

  it('goes by the time of the last change when there is no etag', async () => {
    const { ask, update, clock } = await prepare()
    const last = dataOf(await ask(), URN)?.['last_modified']
    expect((await ask({ if_modified_since: last })).body.result).toBeNull()
    expect(dataOf(await ask({ if_modified_since: last, if_none_match: 'x' }), URN)).toMatchObject({
      cache_status: 'miss',
    })
    clock.advance(1)
    await update({ total: 3 })
    expect((await ask({ if_modified_since: last })).body.result).toMatchObject({ total: 3 })
  })

  it('runs the function once while the result is fresh, and again when it is not', async () => {
    const { ask, counts, passTime } = await prepare({}, { value: 100, unit: 'millisecond' })
    await ask()
    expect((await ask()).body.result).toMatchObject({ total: 1 })
    expect(counts.get).toBe(1)
    await passTime(150)
    await ask()
    expect(counts.get).toBe(2)
  })

  it('forgets results whose tags a write names, also when the write fails', async () => {
    const { ask, update, counts } = await prepare()
    await ask()
    await update({ id: 'ord_2', total: 9 })
    await ask()
    expect(counts.get).toBe(1)
    await update({ total: 5, fail: true })
    expect((await ask()).body.result).toMatchObject({ total: 5 })
    expect(counts.get).toBe(2)
  })

  it('keeps a result computed during a write from being served after it', async () => {
    const { ask, update, store, counts } = await prepare()
    const entries = async () => (await store.listByPrefix('cache:')).entries.length
    await Promise.all([ask(), update({ total: 7 })])
    await update({ total: 8 })
    expect((await ask()).body.result).toMatchObject({ total: 8 })
    expect(await entries()).toBe(1)
    expect(counts.get).toBe(2)
  })

  it('keeps callers, contexts and arguments apart, unless the function says that all see the same', async () => {
    const { ask, counts } = await prepare()
    expect((await ask({}, { user: 'alice' })).body.result).toMatchObject({ for: 'alice' })
    expect((await ask({}, { user: 'bob' })).body.result).toMatchObject({ for: 'bob' })
    await ask({}, { context: { tenant_id: 'a', request_id: '1' } })
    await ask({}, { context: { tenant_id: 'a', request_id: '2' } })
    await ask({}, { context: { tenant_id: 'b' } })
    expect(counts.get).toBe(4)
    const name = 'orders.count'
    expect((await ask({}, { name, user: 'alice' })).body.result).toEqual({ count: 1 })
    expect((await ask({}, { name, user: 'bob' })).body.result).toEqual({ count: 1 })
  })
})

describe('caching extension', () => {
  it('gives an etag and no freshness to functions that declare nothing', async () => {
    const { ask } = setUp(createMemoryStore())
    const response = await ask({}, { name: 'orders.plain' })
    expect(dataOf(response, URN)).toEqual({
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      max_age: { value: 0, unit: 'second' },
      cache_status: 'miss',
    })
  })

  it.each(['orders.update', 'orders.create'])(
    'is refused by %s as seed 001 shows',
    async (name) => {
      const { ask } = setUp(createMemoryStore())
      const response = await ask({}, { name })
      expect(response.status).toBe(400)
      expect(response.body.errors).toEqual([
        {
          code: 'EXTENSION_NOT_APPLICABLE',
          message: 'Caching extension not applicable to write operations',
          source: { pointer: '/extensions/0' },
          details: { extension: URN, function: name },
        },
      ])
    },
  )

  it('does not keep failures', async () => {
    const { ask, update } = setUp(createMemoryStore())
    const missing = await ask({}, { input: { id: 'ord_9' } })
    expect(missing.body.errors?.[0].code).toBe('NOT_FOUND')
    expect(dataOf(missing, URN)).toEqual({ cache_status: 'bypass' })
    await update({ id: 'ord_9', total: 1 })
    expect((await ask({}, { input: { id: 'ord_9' } })).body.result).toMatchObject({ total: 1 })
  })

  it('gives masked and plain answers different etags', async () => {
    const { ask } = setUp(createMemoryStore())
    const redact = { urn: 'urn:forrst:ext:redact', options: { mode: 'full' } }
    const plain = await ask()
    const masked = await ask({ if_none_match: etagOf(plain) }, { extensions: [redact] })
    expect(masked.body.result).toMatchObject({ email: '***' })
    expect(etagOf(masked)).not.toBe(etagOf(plain))
  })

  it('runs the function while the store is away, and does not ask it again at once', async () => {
    const { store, fail, asked } = createFailingStore()
    const { ask, counts, clock } = setUp(store)
    fail(true)
    const response = await ask()
    expect(response.body.result).toMatchObject({ total: 1 })
    expect(dataOf(response, URN)).toMatchObject({ cache_status: 'bypass' })
    const before = asked.length
    await ask()
    expect(asked.length).toBe(before)
    clock.advance(1_001)
    fail(false)
    await ask()
    await ask()
    expect(counts.get).toBe(3)
  })

  it('says so when cached results could not be invalidated', async () => {
    const { store, fail } = createFailingStore()
    const { update, log } = setUp(store)
    fail(true)
    expect((await update({ total: 2 })).status).toBe(200)
    expect(log.lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/could not be invalidated/),
    )
  })

  it('refuses reads and writes while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const { ask, update } = setUp(store, { onStoreFailure: 'refuse' })
    fail(true)
    expect((await ask()).body.errors?.[0].code).toBe('UNAVAILABLE')
    expect((await update({ total: 2 })).body.errors?.[0].code).toBe('UNAVAILABLE')
    fail(false)
    expect((await ask()).body.result).toMatchObject({ total: 1 })
  })

  it('gives a result that cannot be kept any more, also where a store that is away refuses calls', async () => {
    const { store, fail } = createFailingStore()
    const { ask, counts } = setUp(store, { onStoreFailure: 'refuse' })
    fail(['put'])
    expect((await ask()).body.result).toMatchObject({ total: 1 })
    expect(counts.get).toBe(1)
  })

  it.each([
    [{ if_none_match: 7 }, '/if_none_match'],
    [{ if_none_match: 'x'.repeat(10_240) }, '/if_none_match'],
    [{ if_modified_since: 'yesterday' }, '/if_modified_since'],
  ])('answers INVALID_ARGUMENTS to %j', async (options, path) => {
    const { ask } = setUp(createMemoryStore())
    expect((await ask(options)).body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options${path}` },
    })
  })

  it.each([[-1], ['soon'], [{ value: 1, unit: 'moon' }]])(
    'refuses a declared ttl of %j at start',
    (ttl) => {
      expect(() => setUp(createMemoryStore(), {}, ttl)).toThrow(/function orders.get.*ttl/)
    },
  )
})
