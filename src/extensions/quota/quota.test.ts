import { afterEach, describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { createService } from '../../system/create-service.ts'
import type { QuotaPolicy } from './policy.ts'
import { findPeriod } from './policy.ts'
import { type QuotaExtensionOptions, quotaExtension } from './quota.ts'

const URN = 'urn:forrst:ext:quota'
const MONTHLY: QuotaPolicy = { type: 'requests', name: 'calls', limit: 2, period: 'month' }

function setUp(
  store: Store,
  quotas: readonly QuotaPolicy[],
  options: Omit<QuotaExtensionOptions, 'store' | 'quotas'> = {},
) {
  const clock = createTestClock()
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'reports.run',
        version: '1.0.0',
        handler() {
          clock.advance(40)
          return { text: 'é' }
        },
      }),
    ],
    extensions: [quotaExtension({ ...options, store, quotas })],
    authenticate: ({ header }) => ({ id: header('x-user') ?? 'nobody' }),
    clock,
    log: createTestLog(),
  })
  const ask = (entry: Record<string, unknown> | false = {}, user = 'alice') =>
    call(
      service,
      {
        function: 'reports.run',
        ...(entry && { extensions: [{ urn: URN, options: entry }] }),
      },
      { headers: { 'x-user': user } },
    )
  return { clock, ask }
}

describe.each(TEST_STORES)('quota extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (quotas: readonly QuotaPolicy[]) => {
    test = await open()
    return { ...setUp(test.store, quotas), ...test }
  }

  it('[F-223] tells what is used after the call', async () => {
    const { ask } = await prepare([
      MONTHLY,
      { type: 'compute', name: 'time', limit: 1_000, period: 'day' },
      { type: 'bandwidth', name: 'bytes', limit: 100, period: 'hour' },
    ])
    expect(dataOf(await ask(), URN)).toEqual({
      quotas: [
        {
          type: 'requests',
          name: 'calls',
          limit: 2,
          used: 1,
          remaining: 1,
          resets_at: '2024-02-01T00:00:00Z',
          period: 'month',
          unit: 'request',
        },
        {
          type: 'compute',
          name: 'time',
          limit: 1_000,
          used: 40,
          remaining: 960,
          resets_at: '2024-01-16T00:00:00Z',
          period: 'day',
          unit: 'millisecond',
        },
        {
          type: 'bandwidth',
          name: 'bytes',
          limit: 100,
          used: 13,
          remaining: 87,
          resets_at: '2024-01-15T11:00:00Z',
          period: 'hour',
          unit: 'byte',
        },
      ],
    })
  })

  it('[F-223] tells only the types that were asked for', async () => {
    const { ask } = await prepare([
      MONTHLY,
      { type: 'custom', name: 'pages', limit: 10, period: 'day', unit: 'page', cost: () => 3 },
    ])
    expect(dataOf(await ask({ include: ['custom'] }), URN)).toMatchObject({
      quotas: [{ type: 'custom', name: 'pages', used: 3, remaining: 7, unit: 'page' }],
    })
    expect(dataOf(await ask({ include: [] }), URN)).toEqual({ quotas: [] })
  })

  it('answers QUOTA_EXCEEDED when a quota is used up, and starts anew with the period', async () => {
    const { ask, clock } = await prepare([MONTHLY])
    await ask()
    await ask(false)
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      details: { type: 'requests', name: 'calls', limit: 2, used: 2, period: 'month' },
    })
    expect(dataOf(refused, URN)).toMatchObject({ quotas: [{ used: 2, remaining: 0 }] })
    expect((await ask({}, 'bob')).status).toBe(200)
    clock.advance(20 * 86_400_000)
    expect((await ask()).status).toBe(200)
  })

  it('counts exactly under concurrency, and a refused call uses nothing of other quotas', async () => {
    const wide: QuotaPolicy = { ...MONTHLY, name: 'wide', limit: 100, scope: 'global' }
    const { ask } = await prepare([wide, { ...MONTHLY, limit: 5 }])
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(false)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(dataOf(await ask({}, 'bob'), URN)).toMatchObject({
      quotas: [
        { name: 'wide', used: 6 },
        { name: 'calls', used: 1 },
      ],
    })
  })
})

describe('quota extension', () => {
  it('lets calls through uncounted while the store is away, unless told otherwise', async () => {
    const { store, fail } = createFailingStore()
    fail(true)
    expect((await setUp(store, [{ ...MONTHLY, limit: 1 }]).ask()).status).toBe(200)
    const strict = setUp(store, [MONTHLY], { onStoreFailure: 'refuse' })
    expect((await strict.ask()).body.errors?.[0].code).toBe('UNAVAILABLE')
  })

  it('gives what a function made although its use cannot be counted any more', async () => {
    const { store, fail, asked } = createFailingStore()
    const compute: QuotaPolicy = { ...MONTHLY, type: 'compute', name: 'time', limit: 1_000 }
    const { ask } = setUp(store, [compute], {
      onStoreFailure: 'refuse',
      identify(_call, scope) {
        // Away from the second count on: the function has run by then.
        queueMicrotask(() => fail(true))
        return scope
      },
    })
    expect((await ask()).body.result).toEqual({ text: 'é' })
    expect(asked).toEqual(['increment', 'increment'])
  })

  it.each([
    [{ include: 'requests' }, '/include'],
    [{ include: ['requests', 'gold'] }, '/include/1'],
  ])('answers INVALID_ARGUMENTS to %j', async (options, path) => {
    const { ask } = setUp(createMemoryStore(), [MONTHLY])
    expect((await ask(options)).body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options${path}` },
    })
  })

  it.each([
    ['billing_cycle', '2024-01-15T10:30:00Z', 20, '2023-12-20', '2024-01-20'],
    ['billing_cycle', '2024-01-20T00:00:00Z', 20, '2024-01-20', '2024-02-20'],
    ['month', '2024-12-31T23:59:59Z', 20, '2024-12-01', '2025-01-01'],
    ['day', '2024-02-29T12:00:00Z', 1, '2024-02-29', '2024-03-01'],
  ] as const)('finds the %s around %s', (period, moment, startDay, start, end) => {
    expect(findPeriod(period, Date.parse(moment), startDay)).toEqual({
      start: Date.parse(start),
      end: Date.parse(end),
    })
  })

  it.each([
    [{ ...MONTHLY, type: 'gold' }, /\.type/],
    [{ ...MONTHLY, period: 'age' }, /\.period/],
    [{ ...MONTHLY, limit: 1.5 }, /\.limit/],
    [{ ...MONTHLY, name: '' }, /\.name/],
    [{ ...MONTHLY, scope: 'planet' }, /\.scope/],
    [{ ...MONTHLY, startDay: 31 }, /\.startDay/],
    [{ ...MONTHLY, type: 'storage' }, /\.cost/],
  ])('refuses the quota %j at start', (quota, message) => {
    const quotas = [quota as QuotaPolicy]
    expect(() => quotaExtension({ store: createMemoryStore(), quotas })).toThrow(message)
  })
})
