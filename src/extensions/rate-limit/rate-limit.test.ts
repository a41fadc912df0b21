import { afterEach, describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../../test/support/stores.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import type { RateLimitPolicy } from './policy.ts'
import { type RateLimitExtensionOptions, rateLimitExtension } from './rate-limit.ts'

const URN = 'urn:forrst:ext:rate-limit'
const minute = { value: 1, unit: 'minute' } as const

function setUp(
  store: Store,
  policies: readonly RateLimitPolicy[],
  options: Omit<RateLimitExtensionOptions, 'store' | 'policies'> = {},
) {
  const log = createTestLog()
  let runs = 0
  const work = (name: string) =>
    defineFunction({
      name,
      version: '1.0.0',
      handler({ input }) {
        runs++
        if (input['fail'] === true) throw new CallError('NOT_FOUND')
        return { done: true }
      },
    })
  const service = createService({
    info: { title: 'Search', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [work('search.run'), work('search.suggest')],
    defaults: false,
    extensions: [rateLimitExtension({ ...options, store, policies })],
    authenticate: ({ header }) => ({ id: header('x-user') ?? 'nobody' }),
    clock: createTestClock(),
    log,
  })
  const ask = ({
    name = 'search.run',
    user = 'alice',
    caller = 'web',
    declare = true,
    options: entry = {} as Record<string, unknown>,
    input = {} as Record<string, unknown>,
  } = {}) =>
    call(
      service,
      {
        function: name,
        arguments: input,
        context: { caller },
        ...(declare && { extensions: [{ urn: URN, options: entry }] }),
      },
      { headers: { 'x-user': user } },
    )
  return { service, ask, log, runs: () => runs }
}

describe.each(TEST_STORES)('rate limit extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (policies: readonly RateLimitPolicy[]) => {
    test = await open()
    return { ...setUp(test.store, policies), ...test }
  }

  it('[F-224] tells what is left on every answer, also on errors', async () => {
    const { ask } = await prepare([{ scope: 'user', limit: 3, window: minute }])
    expect(dataOf(await ask(), URN)).toEqual({
      limit: 3,
      used: 1,
      remaining: 2,
      window: minute,
      resets_in: { value: 60, unit: 'second' },
      scope: 'user',
    })
    const failed = await ask({ input: { fail: true } })
    expect(failed.body.errors?.[0].code).toBe('NOT_FOUND')
    expect(dataOf(failed, URN)).toMatchObject({ used: 2, remaining: 1 })
    expect(dataOf(await ask(), URN)).toMatchObject({
      remaining: 0,
      warning: '0 of 3 calls are left',
    })
    expect(dataOf(await ask(), URN)).toMatchObject({ used: 3, remaining: 0 })
  })

  it('[F-225] answers RATE_LIMITED with retry_after and the headers of both families', async () => {
    const { ask, runs } = await prepare([{ scope: 'user', limit: 1, window: minute }])
    const first = await ask({ declare: false })
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'ratelimit-policy': '"user";q=1;w=60',
      ratelimit: '"user";r=0;t=60',
    })
    expect(first.headers).not.toHaveProperty('retry-after')
    const refused = await ask({ declare: false })
    expect(refused.status).toBe(429)
    expect(refused.body.errors).toEqual([
      {
        code: 'RATE_LIMITED',
        message: 'Too many requests',
        details: {
          limit: 1,
          used: 1,
          window: minute,
          retry_after: { value: expect.any(Number), unit: 'second' },
          scope: 'user',
        },
      },
    ])
    const details = refused.body.errors?.[0].details as { retry_after: { value: number } }
    const wait = details.retry_after.value
    expect(refused.headers).toMatchObject({
      'retry-after': String(wait),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(wait),
      ratelimit: `"user";r=0;t=${wait}`,
    })
    expect(refused.body.extensions).toBeUndefined()
    expect(runs()).toBe(1)
  })

  it('counts anew when the window is over', async () => {
    const window = { value: 150, unit: 'millisecond' } as const
    const { ask, passTime } = await prepare([{ scope: 'global', limit: 1, window }])
    await ask()
    await passTime(200)
    expect((await ask()).status).toBe(200)
  })

  it('counts exactly under concurrency', async () => {
    const { ask } = await prepare([{ scope: 'global', limit: 7, window: minute }])
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
  })
})

describe('rate limit extension', () => {
  it('counts users, services, functions and everybody apart', async () => {
    const only = (scope: RateLimitPolicy['scope']) =>
      setUp(createMemoryStore(), [{ scope, limit: 1, window: minute }])
    const expectations = [
      ['user', [200, 200, 429, 429]],
      ['service', [200, 429, 200, 429]],
      ['function', [200, 429, 429, 200]],
      ['global', [200, 429, 429, 429]],
    ] as const
    for (const [scope, statuses] of expectations) {
      const { ask } = only(scope)
      const answers = [
        await ask(),
        await ask({ user: 'bob' }),
        await ask({ caller: 'app' }),
        await ask({ name: 'search.suggest' }),
      ]
      expect([scope, answers.map(({ status }) => status)]).toEqual([scope, statuses])
    }
  })

  it('lets a caller over its own limit not use up that of all', async () => {
    const { ask } = setUp(createMemoryStore(), [
      { scope: 'global', limit: 3, window: minute },
      { scope: 'user', limit: 1, window: minute },
    ])
    for (let at = 0; at < 5; at++) await ask()
    expect((await ask({ user: 'bob' })).status).toBe(200)
    const third = await ask({ user: 'carol' })
    expect(dataOf(third, URN)).toMatchObject({
      scopes: { user: { limit: 1, remaining: 0 }, global: { limit: 3, used: 3, remaining: 0 } },
    })
    const refused = await ask({ user: 'dave' })
    expect(refused.body.errors?.[0].details).toMatchObject({ scope: 'global' })
  })

  it('limits one function only where the policy names it, and tells one scope where asked', async () => {
    const { ask } = setUp(createMemoryStore(), [
      { scope: 'user', limit: 1, window: minute, function: 'search.suggest' },
      { scope: 'global', limit: 100, window: minute },
    ])
    for (let at = 0; at < 3; at++) expect((await ask()).status).toBe(200)
    await ask({ name: 'search.suggest' })
    const refused = await ask({ name: 'search.suggest', options: { scope: 'user' } })
    expect(refused.body.errors?.[0].details).toMatchObject({ function: 'search.suggest' })
    expect(dataOf(refused, URN)).toMatchObject({ scope: 'user', limit: 1 })
  })

  it.each([[{ scope: 'planet' }], [{ scope: 'service' }]])(
    'answers INVALID_ARGUMENTS to %j',
    async (options) => {
      const { ask } = setUp(createMemoryStore(), [{ scope: 'user', limit: 1, window: minute }])
      expect((await ask({ options })).body.errors?.[0]).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        source: { pointer: '/extensions/0/options/scope' },
      })
    },
  )

  it('lets calls through uncounted while the store is away, and says that it did', async () => {
    const { store, fail } = createFailingStore()
    const { ask } = setUp(store, [{ scope: 'user', limit: 1, window: minute }])
    fail(true)
    const responses = [await ask(), await ask(), await ask()]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(dataOf(responses[0]!, URN)).toEqual({
      limit: 1,
      window: minute,
      scope: 'user',
      warning: 'This call could not be counted',
    })
  })

  it('refuses calls while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const policies = [{ scope: 'user', limit: 1, window: minute }] as const
    const { ask, runs } = setUp(store, policies, { onStoreFailure: 'refuse' })
    fail(true)
    expect((await ask()).status).toBe(503)
    expect(runs()).toBe(0)
  })

  it('shows its policies in capabilities and leaves the functions of the protocol alone', async () => {
    const { service } = setUp(createMemoryStore(), [{ scope: 'global', limit: 0, window: minute }])
    const { status, body } = await call(service, { function: 'urn:cline:forrst:fn:capabilities' })
    expect(status).toBe(200)
    expect(body.result).toMatchObject({
      extensions: [{ urn: URN, rate_limits: [{ scope: 'global', limit: 0, window: minute }] }],
    })
  })

  it.each([
    [{ scope: 'planet', limit: 1, window: minute }, /policies\[0\]\.scope/],
    [{ scope: 'user', limit: -1, window: minute }, /policies\[0\]\.limit/],
    [{ scope: 'user', limit: 1, window: { value: 0, unit: 'second' } }, /policies\[0\]\.window/],
    [{ scope: 'user', limit: 1, window: minute, name: 'a"b' }, /policies\[0\]\.name/],
  ])('refuses the policy %j at start', (policy, message) => {
    const policies = [policy as RateLimitPolicy]
    expect(() => rateLimitExtension({ store: createMemoryStore(), policies })).toThrow(message)
  })
})
