import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction, type Invocation } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { type IdempotencyExtensionOptions, idempotencyExtension } from './idempotency.ts'
import { openLaterOutcomes } from './record.ts'

const URN = 'urn:forrst:ext:idempotency'

function setUp(
  store: Store,
  handler: (invocation: Invocation) => unknown = () => ({ charged: true }),
  options: Omit<IdempotencyExtensionOptions, 'store'> = {},
) {
  const clock = createTestClock()
  const log = createTestLog()
  let runs = 0
  const charge = (name: string, version: string) =>
    defineFunction({
      name,
      version,
      errors: [{ code: 'PAYMENTS_DECLINED', message: 'Declined', status: 402 }],
      handler(invocation) {
        runs++
        return handler(invocation as unknown as Invocation)
      },
    })
  const service = createService({
    info: { title: 'Payments', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [
      charge('payments.charge', '1.0.0'),
      charge('payments.charge', '2.0.0'),
      charge('payments.refund', '1.0.0'),
    ],
    extensions: [idempotencyExtension({ ...options, store })],
    authenticate: ({ header }) => {
      const id = header('x-user')
      return id === undefined ? undefined : { id }
    },
    clock,
    log,
  })
  const ask = (
    entry: Record<string, unknown>,
    {
      id = 'req_1',
      input = { amount: 5 } as Record<string, unknown>,
      name = 'payments.charge',
      version = '1.0.0',
      user = '',
    } = {},
  ) =>
    call(
      service,
      {
        function: name,
        version,
        id,
        arguments: input,
        extensions: [{ urn: URN, options: entry }],
      },
      user === '' ? {} : { headers: { 'x-user': user } },
    )
  return { service, clock, log, ask, runs: () => runs }
}

describe.each(TEST_STORES)('idempotency extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (...rest: [Parameters<typeof setUp>[1]?, Parameters<typeof setUp>[2]?]) => {
    test = await open()
    return { ...setUp(test.store, ...rest), test }
  }

  it('[F-212][F-213] runs once and gives the stored result under the new request id', async () => {
    let facts: unknown
    const { ask, runs } = await prepare(({ call: { facts: found } }) => {
      facts = found
      return { id: 'ch_1', list: [1, null] }
    })
    const first = await ask({ key: 'order:1' }, { id: 'req_1' })
    expect(first.body.result).toEqual({ id: 'ch_1', list: [1, null] })
    expect(dataOf(first, URN)).toEqual({
      key: 'order:1',
      status: 'processed',
      original_request_id: 'req_1',
      expires_at: '2024-01-16T10:30:00Z',
    })
    expect(facts).toMatchObject({ idempotencyKey: 'order:1' })

    const second = await ask({ key: 'order:1' }, { id: 'req_2' })
    expect(second.body).toMatchObject({ id: 'req_2', result: { id: 'ch_1', list: [1, null] } })
    expect(dataOf(second, URN)).toEqual({
      key: 'order:1',
      status: 'cached',
      original_request_id: 'req_1',
      cached_at: '2024-01-15T10:30:00Z',
      expires_at: expect.stringMatching(/^2024-01-16T10:(29|30):/),
    })
    expect(runs()).toBe(1)
  })

  it('[F-213][F-215] lets one of many concurrent calls run and tells the others that it does', async () => {
    let finish: (value: unknown) => void = () => {}
    const { ask, runs } = await prepare(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    const all = Array.from({ length: 10 }, (_, index) => ask({ key: 'k' }, { id: `req_${index}` }))
    const refused = await Promise.all(
      Array.from({ length: 9 }, () =>
        Promise.race(all.map((one, at) => one.then((r) => [at, r] as const))),
      ),
    )
    const [, response] = refused[0] ?? []
    expect(response?.status).toBe(409)
    expect(response?.body.errors?.[0]).toMatchObject({
      code: 'IDEMPOTENCY_PROCESSING',
      details: { key: 'k', retry_after: { value: 1, unit: 'second' } },
    })
    expect(response?.headers['retry-after']).toBe('1')
    expect(dataOf(response!, URN)).toMatchObject({ key: 'k', status: 'processing' })
    await vi.waitFor(() => expect(runs()).toBe(1))
    finish({ done: true })
    const answers = await Promise.all(all)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
    expect(runs()).toBe(1)
  })

  it('[F-214] answers IDEMPOTENCY_CONFLICT when the key comes with other arguments', async () => {
    const { ask, runs } = await prepare()
    await ask({ key: 'k' }, { input: { amount: 5, currency: 'EUR' } })
    const same = await ask({ key: 'k' }, { input: { currency: 'EUR', amount: 5 } })
    expect(dataOf(same, URN)).toMatchObject({ status: 'cached' })
    const other = await ask({ key: 'k' }, { input: { amount: 6, currency: 'EUR' }, id: 'req_9' })
    expect(other.status).toBe(409)
    expect(other.body.errors?.[0]).toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
      details: {
        key: 'k',
        original_arguments_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    })
    expect(dataOf(other, URN)).toEqual({
      key: 'k',
      status: 'conflict',
      original_request_id: 'req_1',
    })
    expect(runs()).toBe(1)
  })

  it('[F-216] keeps keys apart by function, by version and by principal', async () => {
    const { ask, runs } = await prepare()
    await ask({ key: 'k' })
    await ask({ key: 'k' }, { version: '2.0.0' })
    await ask({ key: 'k' }, { name: 'payments.refund' })
    await ask({ key: 'k' }, { user: 'alice' })
    await ask({ key: 'k' }, { user: 'bob' })
    expect(runs()).toBe(5)
    await ask({ key: 'k' }, { user: 'bob' })
    expect(runs()).toBe(5)
  })

  it('[F-212] keeps failures that another attempt cannot change, with their status', async () => {
    const { ask, runs } = await prepare(({ fail }) => {
      throw fail('PAYMENTS_DECLINED', { details: { reason: 'limit' } })
    })
    const first = await ask({ key: 'k' })
    const second = await ask({ key: 'k' })
    expect(first.status).toBe(402)
    expect(second.status).toBe(402)
    expect(second.body.errors).toEqual(first.body.errors)
    expect(dataOf(second, URN)).toMatchObject({ status: 'cached' })
    expect(runs()).toBe(1)
  })

  it.each(['UNAVAILABLE', 'INTERNAL_ERROR', 'CANCELLED'])(
    'gives the key back after %s, so that another attempt runs',
    async (code) => {
      let failing = true
      const { ask, runs } = await prepare(() => {
        if (failing) throw new CallError(code)
        return { charged: true }
      })
      expect((await ask({ key: 'k' })).body.errors?.[0].code).toBe(code)
      failing = false
      expect((await ask({ key: 'k' })).body.result).toEqual({ charged: true })
      expect(runs()).toBe(2)
    },
  )

  it('forgets an outcome when its time to live is over', async () => {
    const {
      ask,
      runs,
      test: { passTime },
    } = await prepare()
    await ask({ key: 'k', ttl: { value: 150, unit: 'millisecond' } })
    await passTime(200)
    await ask({ key: 'k' })
    expect(runs()).toBe(2)
  })
})

describe('idempotency extension', () => {
  it.each([
    [{}, '/key'],
    [{ key: '' }, '/key'],
    [{ key: 'a b' }, '/key'],
    [{ key: 'x'.repeat(10_240) }, '/key'],
    [{ key: 7 }, '/key'],
    [{ key: 'k', ttl: 30 }, '/ttl'],
    [{ key: 'k', ttl: { value: -1, unit: 'second' } }, '/ttl/value'],
    [{ key: 'k', ttl: { value: 0, unit: 'second' } }, '/ttl/value'],
    [{ key: 'k', ttl: { value: 1, unit: 'fortnight' } }, '/ttl/unit'],
  ])('answers INVALID_ARGUMENTS to %j', async (options, path) => {
    const { ask, runs } = setUp(createMemoryStore())
    const response = await ask(options)
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options${path}` },
    })
    expect(runs()).toBe(0)
  })

  it('cuts a time to live to 30 days', async () => {
    const { ask } = setUp(createMemoryStore())
    const response = await ask({ key: 'k', ttl: { value: 900, unit: 'day' } })
    expect(dataOf(response, URN)).toMatchObject({ expires_at: '2024-02-14T10:30:00Z' })
  })

  it('refuses calls while the store is away, and runs nothing', async () => {
    const { store, fail } = createFailingStore()
    const { ask, runs } = setUp(store)
    fail(true)
    const response = await ask({ key: 'k' })
    expect(response.status).toBe(503)
    expect(response.body.errors?.[0].code).toBe('UNAVAILABLE')
    expect(runs()).toBe(0)
    fail(false)
    expect((await ask({ key: 'k' })).status).toBe(200)
  })

  it('runs without a record while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const { ask, runs, log } = setUp(store, undefined, { onStoreFailure: 'proceed' })
    fail(true)
    const response = await ask({ key: 'k' })
    expect(response.body.result).toEqual({ charged: true })
    expect(dataOf(response, URN)).toEqual({
      key: 'k',
      status: 'processed',
      original_request_id: 'req_1',
    })
    expect(runs()).toBe(1)
    expect(log.lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/without its store/),
    )
  })

  it('stores the outcome later when the store goes away between effect and record', async () => {
    const { store, fail } = createFailingStore()
    const { ask, runs } = setUp(store)
    fail(['compareAndSet'])
    expect((await ask({ key: 'k' })).body.result).toEqual({ charged: true })
    fail(false)
    await vi.waitFor(async () => {
      expect(dataOf(await ask({ key: 'k' }), URN)).toMatchObject({ status: 'cached' })
    })
    expect(runs()).toBe(1)
  })

  it('does not take a write that failed and happened after all for that of another call', async () => {
    const inner = createMemoryStore()
    const writes = vi.fn(inner.compareAndSet)
    const lost = async (...args: Parameters<Store['compareAndSet']>) => {
      await inner.compareAndSet(...args)
      throw new CallError('UNAVAILABLE')
    }
    const { ask, log } = setUp({ ...inner, compareAndSet: writes.mockImplementationOnce(lost) })
    await ask({ key: 'k' })
    await vi.waitFor(() => expect(writes).toHaveBeenCalledTimes(2))
    expect(dataOf(await ask({ key: 'k' }, { id: 'req_2' }), URN)).toMatchObject({
      status: 'cached',
    })
    expect(log.lines.filter(({ message }) => message.includes('outlived'))).toEqual([])
  })

  it('keeps the key of a long call alive beyond its lease', async () => {
    let finish: (value: unknown) => void = () => {}
    let now = 0
    const { store, asked } = createFailingStore(
      createMemoryStore({ clock: { elapsed: () => now } }),
    )
    const { ask, runs } = setUp(
      store,
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
      { lease: { value: 30, unit: 'millisecond' } },
    )
    const first = ask({ key: 'k' })
    const renewals = () => asked.filter((name) => name === 'compareAndSet').length
    for (let round = 0; round < 4; round++) {
      const before = renewals()
      await vi.waitFor(() => expect(renewals()).toBeGreaterThan(before + 1), { interval: 1 })
      now += 25
    }
    expect((await ask({ key: 'k' })).body.errors?.[0].code).toBe('IDEMPOTENCY_PROCESSING')
    finish({ done: true })
    expect((await first).status).toBe(200)
    expect(runs()).toBe(1)
  })

  it('runs again when the process that held the key died, unless told never to', async () => {
    let now = 0
    const store = createMemoryStore({ clock: { elapsed: () => now } })
    const dead = setUp(store, () => new Promise(() => {}), { lease: { value: 1, unit: 'hour' } })
    void dead.ask({ key: 'a' })
    const careful = setUp(store, () => new Promise(() => {}), { lease: false })
    void careful.ask({ key: 'b' })
    await vi.waitFor(() => expect([dead.runs(), careful.runs()]).toEqual([1, 1]))
    now += 3_700_000
    const { ask } = setUp(store)
    expect((await ask({ key: 'a' })).status).toBe(200)
    expect((await ask({ key: 'b' })).body.errors?.[0].code).toBe('IDEMPOTENCY_PROCESSING')
  })

  it('says so when a claim was lost while the function ran', async () => {
    const store = createMemoryStore()
    const { ask, log } = setUp(store, async () => {
      const [entry] = (await store.listByPrefix('idempotency:')).entries
      await store.put(entry!.key, { state: 'running', run: 'other' }, { ttl: 1000 })
      return { charged: true }
    })
    expect((await ask({ key: 'k' })).status).toBe(200)
    expect(log.lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/twice/))
  })

  it('never runs again where the result is too large to be kept', async () => {
    const { ask, runs } = setUp(createMemoryStore(), () => ({ text: 'x'.repeat(2_000_000) }))
    expect((await ask({ key: 'k' })).status).toBe(200)
    const second = await ask({ key: 'k' })
    expect(second.body.errors?.[0]).toMatchObject({
      code: 'CONFLICT',
      details: { key: 'k', original_request_id: 'req_1' },
    })
    expect(runs()).toBe(1)
  })

  it('lets a later outcome replace that of a call that was only accepted', async () => {
    const store = createMemoryStore()
    const { ask, runs } = setUp(store, ({ call: { reply } }) => {
      reply.disposition = 'accepted'
      reply.extensions = [{ urn: 'urn:forrst:ext:async', data: { operation_id: 'op_1' } }]
      return null
    })
    const first = await ask({ key: 'k' })
    const second = await ask({ key: 'k' }, { id: 'req_2' })
    expect([first.status, second.status]).toEqual([202, 202])
    expect(dataOf(second, 'urn:forrst:ext:async')).toEqual({ operation_id: 'op_1' })
    const scope = { key: 'k', function: 'payments.charge', version: '1.0.0' }
    const outcome = { ok: true, result: { report: 1 } } as const
    const outcomes = openLaterOutcomes(store)
    expect(await outcomes.replace(scope, { outcome, at: 0 })).toBeGreaterThan(0)
    expect(await outcomes.replace({ ...scope, key: 'x' }, { outcome, at: 0 })).toBeUndefined()
    const third = await ask({ key: 'k' }, { id: 'req_3' })
    expect([third.status, third.body.result]).toEqual([200, { report: 1 }])
    expect(runs()).toBe(1)
  })

  it('refuses a wrong configuration at start', () => {
    const store = createMemoryStore()
    const wrong = { value: -1, unit: 'second' } as const
    expect(() => idempotencyExtension({ store, ttl: wrong })).toThrow(/idempotency: ttl/)
    expect(() => idempotencyExtension({ store, lease: wrong })).toThrow(/idempotency: lease/)
    expect(() => idempotencyExtension({ store, onStoreFailure: 'maybe' as never })).toThrow(
      /onStoreFailure/,
    )
  })
})
