import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  call,
  createTestClock,
  createTestLog,
  dataOf,
  type TestResponse,
} from '../../test/support/forrst.ts'
import { createFailingStore, TEST_STORES, type TestStore } from '../../test/support/stores.ts'
import { CallError } from '../core/error.ts'
import { defineFunction, type Invocation } from '../core/function.ts'
import { createMemoryStore, type Store } from '../store/index.ts'
import { createService } from '../system/create-service.ts'
import { type AtomicLockExtensionOptions, atomicLockExtension } from './atomic-lock.ts'
import { deadlineExtension } from './deadline.ts'
import { advanceFence, holdsLock } from './fencing.ts'
import { toFullKey } from './lock-record.ts'
import { createLockQueue } from './lock-wait.ts'

const URN = 'urn:forrst:ext:atomic-lock'
const FN = 'urn:cline:forrst:ext:atomic-lock:fn'
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const seconds = (value: number) => ({ value, unit: 'second' })

function setUp(
  store: Store,
  handler: (invocation: Invocation) => unknown = () => ({ done: true }),
  options: Omit<AtomicLockExtensionOptions, 'store'> = {},
) {
  const clock = createTestClock()
  const log = createTestLog()
  const work = (name: string) =>
    defineFunction({
      name,
      version: '1.0.0',
      handler: (invocation) => handler(invocation as unknown as Invocation),
    })
  const service = createService({
    info: { title: 'Payments', version: '1.0.0' },
    functions: [work('payments.charge'), work('payments.refund')],
    extensions: [atomicLockExtension({ ...options, store }), deadlineExtension()],
    clock,
    log,
  })
  const lock = (
    entry: Record<string, unknown>,
    name = 'payments.charge',
    more: { signal?: AbortSignal; extensions?: object[]; urn?: string } = {},
  ): Promise<TestResponse> =>
    call(
      service,
      {
        function: name,
        extensions: [{ urn: more.urn ?? URN, options: entry }, ...(more.extensions ?? [])],
      },
      more,
    )
  const manage = (name: string, input: Record<string, unknown>) =>
    call(service, { function: `${FN}:${name}`, version: '1.0.0', arguments: input })
  return { service, clock, log, lock, manage }
}

/** A handler that goes on until it is told to stop. */
function holdOn() {
  const finishers: ((value: unknown) => void)[] = []
  return {
    handler: () => new Promise((resolve) => finishers.push(resolve)),
    running: () => finishers.length,
    finish: () => finishers.forEach((finish) => void finish({ done: true })),
  }
}

describe.each(TEST_STORES)('atomic lock extension on %s', (_, open) => {
  let test: TestStore | undefined
  afterEach(() => test?.close())
  const prepare = async (...rest: [Parameters<typeof setUp>[1]?, Parameters<typeof setUp>[2]?]) => {
    test = await open()
    return { ...setUp(test.store, ...rest), ...test }
  }

  it('[F-187] returns key, owner, scope and expiry; the owner is a UUID when absent', async () => {
    const { lock } = await prepare()
    const made = await lock({ key: 'user:123', ttl: seconds(30) })
    expect(made.body.result).toEqual({ done: true })
    expect(dataOf(made, URN)).toEqual({
      key: 'user:123',
      acquired: true,
      owner: expect.stringMatching(UUID),
      scope: 'function',
      expires_at: '2024-01-15T10:30:30Z',
    })
    const given = await lock({ key: 'user:123', ttl: seconds(30), owner: 'worker-7' })
    expect(dataOf(given, URN)).toMatchObject({ owner: 'worker-7' })
  })

  it('[F-180][F-182] shows a held lock under its full key', async () => {
    const { handler, running, finish } = holdOn()
    const { lock, manage } = await prepare(handler)
    const first = lock({ key: 'user:123', ttl: seconds(30), owner: 'o' })
    await vi.waitFor(() => expect(running()).toBe(1))
    const key = 'forrst_lock:payments.charge:user:123'
    const status = await manage('status', { key })
    expect(status.body.result).toEqual({
      key,
      locked: true,
      owner: 'o',
      acquired_at: '2024-01-15T10:30:00Z',
      expires_at: expect.stringMatching(/^2024-01-15T10:30:[0-3]\dZ$/),
      ttl_remaining: expect.any(Number),
    })
    const left = (status.body.result as { ttl_remaining: number }).ttl_remaining
    expect(Number.isInteger(left) && left > 0 && left <= 30).toBe(true)
    finish()
    await first
    expect((await manage('status', { key })).body.result).toEqual({ key, locked: false })
  })

  it('[F-181] answers that a free lock is free, whatever its key looks like', async () => {
    const { manage } = await prepare()
    for (const key of ['forrst_lock:none', 'anything', 'x'.repeat(5_000), 'forrst_lock:\u0000']) {
      const status = await manage('status', { key })
      expect(status.status).toBe(200)
      expect(status.body.result).toEqual({ key, locked: false })
    }
  })

  it('[F-183] answers LOCK_ACQUISITION_FAILED at once when the lock is held', async () => {
    const { handler, running, finish } = holdOn()
    const { lock } = await prepare(handler)
    const first = lock({ key: 'k', ttl: seconds(30) })
    await vi.waitFor(() => expect(running()).toBe(1))
    const refused = await lock({ key: 'k', ttl: seconds(30) })
    expect(refused.status).toBe(423)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'LOCK_ACQUISITION_FAILED',
      details: { key: 'k', scope: 'function', full_key: 'forrst_lock:payments.charge:k' },
    })
    expect(dataOf(refused, URN)).toEqual({ key: 'k', acquired: false })
    expect(running()).toBe(1)
    finish()
    await first
  })

  it('[F-184] answers LOCK_TIMEOUT when the lock is held for longer than the wait', async () => {
    const { handler, running, finish } = holdOn()
    const { lock } = await prepare(handler)
    const first = lock({ key: 'k', ttl: seconds(30) })
    await vi.waitFor(() => expect(running()).toBe(1))
    const block = { value: 30, unit: 'millisecond' }
    const refused = await lock({ key: 'k', ttl: seconds(30), block })
    expect(refused.status).toBe(423)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'LOCK_TIMEOUT',
      details: {
        key: 'k',
        scope: 'function',
        full_key: 'forrst_lock:payments.charge:k',
        waited: { value: expect.any(Number), unit: 'millisecond' },
      },
    })
    finish()
    await first
  })

  it('waits for the lock and gets it when its holder is done', async () => {
    const { handler, running, finish } = holdOn()
    const { lock } = await prepare(handler)
    const first = lock({ key: 'k', ttl: seconds(30) })
    await vi.waitFor(() => expect(running()).toBe(1))
    const second = lock({ key: 'k', ttl: seconds(30), block: seconds(10) })
    finish()
    await first
    await vi.waitFor(() => expect(running()).toBe(2))
    finish()
    expect((await second).status).toBe(200)
  })

  it('[F-185] releases the lock after errors and after exceptions', async () => {
    for (const thrown of [new CallError('NOT_FOUND'), new Error('boom')]) {
      const { lock, manage } = await prepare(() => {
        throw thrown
      })
      await lock({ key: 'k', ttl: seconds(30) })
      const status = await manage('status', { key: 'forrst_lock:payments.charge:k' })
      expect(status.body.result).toMatchObject({ locked: false })
      await test?.close()
    }
    test = undefined
  })

  it('[F-175][F-176][F-177][F-186] keeps the lock without auto release until its owner releases it', async () => {
    const { lock, manage } = await prepare()
    const ask = { key: 'k', ttl: seconds(30), owner: 'me', auto_release: false }
    await lock(ask)
    expect((await lock(ask)).body.errors?.[0].code).toBe('LOCK_ACQUISITION_FAILED')
    const key = 'forrst_lock:payments.charge:k'

    const wrong = await manage('release', { key, owner: 'you' })
    expect(wrong.status).toBe(403)
    expect(wrong.body.errors?.[0]).toMatchObject({
      code: 'LOCK_OWNERSHIP_MISMATCH',
      details: { key },
    })
    expect((await manage('status', { key })).body.result).toMatchObject({ locked: true })

    const released = await manage('release', { key, owner: 'me' })
    expect(released.body.result).toEqual({ released: true, key })
    const again = await manage('release', { key, owner: 'me' })
    expect(again.status).toBe(404)
    expect(again.body.errors?.[0]).toMatchObject({ code: 'LOCK_NOT_FOUND', details: { key } })
    expect((await lock(ask)).status).toBe(200)
  })

  it('[F-176][F-181] frees a lock when its time is up', async () => {
    const { lock, manage, passTime } = await prepare()
    const ttl = { value: 60, unit: 'millisecond' }
    await lock({ key: 'k', ttl, owner: 'me', auto_release: false })
    await passTime(100)
    const key = 'forrst_lock:payments.charge:k'
    expect((await manage('status', { key })).body.result).toEqual({ key, locked: false })
    expect((await manage('release', { key, owner: 'me' })).body.errors?.[0].code).toBe(
      'LOCK_NOT_FOUND',
    )
  })

  it('[F-178][F-179] takes a lock away from its holder for those whom the hook lets', async () => {
    const asked: string[] = []
    const { lock, manage } = await prepare(undefined, {
      authorizeForceRelease(_call, key) {
        asked.push(key)
        return true
      },
    })
    const key = 'forrst_lock:payments.charge:k'
    await lock({ key: 'k', ttl: seconds(30), owner: 'me', auto_release: false })
    const released = await manage('force-release', { key })
    expect(released.body.result).toEqual({ released: true, key, forced: true })
    const again = await manage('force-release', { key })
    expect(again.status).toBe(404)
    expect(again.body.errors?.[0]).toMatchObject({ code: 'LOCK_NOT_FOUND', details: { key } })
    expect(asked).toEqual([key, key])
  })

  it('refuses force-release without a hook, and keeps the lock', async () => {
    const { lock, manage } = await prepare()
    const key = 'forrst_lock:payments.charge:k'
    await lock({ key: 'k', ttl: seconds(30), auto_release: false })
    const refused = await manage('force-release', { key })
    expect(refused.status).toBe(403)
    expect(refused.body.errors?.[0].code).toBe('FORBIDDEN')
    expect((await manage('status', { key })).body.result).toMatchObject({ locked: true })
  })

  it('[F-188] keeps functions apart, unless the scope is global', async () => {
    const { lock, manage } = await prepare()
    const ask = { key: 'k', ttl: seconds(30), auto_release: false }
    expect((await lock(ask)).status).toBe(200)
    expect((await lock(ask, 'payments.refund')).status).toBe(200)
    const global = { ...ask, scope: 'global' }
    expect((await lock(global)).status).toBe(200)
    const refused = await lock(global, 'payments.refund')
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'LOCK_ACQUISITION_FAILED',
      details: { scope: 'global', full_key: 'forrst_lock:k' },
    })
    expect((await manage('status', { key: 'forrst_lock:k' })).body.result).toMatchObject({
      locked: true,
    })
  })

  it('gives every holder a higher token, which can be checked against the store', async () => {
    const tokens: number[] = []
    const current: boolean[] = []
    const key = toFullKey({ function: 'payments.charge', key: 'k' })
    const { lock, store } = await prepare(async ({ call: { facts } }) => {
      tokens.push(facts.fencingToken ?? 0)
      current.push(await holdsLock(test!.store, key, facts.fencingToken ?? 0))
    })
    for (let at = 0; at < 5; at++) await lock({ key: 'k', ttl: seconds(30) })
    expect(tokens).toEqual([...tokens].sort((left, right) => left - right))
    expect(new Set(tokens).size).toBe(5)
    expect(current).toEqual([true, true, true, true, true])
    expect(await holdsLock(store, key, tokens[4]!)).toBe(false)
  })

  it('lets one holder in at a time, however many wait', async () => {
    let inside = 0
    let most = 0
    const { lock } = await prepare(async () => {
      inside++
      most = Math.max(most, inside)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside--
    })
    const ask = { key: 'k', ttl: seconds(30), block: seconds(15) }
    const answers = await Promise.all(Array.from({ length: 12 }, () => lock(ask)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(most).toBe(1)
  })
})

describe('atomic lock extension', () => {
  it.each([
    [{ ttl: seconds(1) }, '/key'],
    [{ key: '', ttl: seconds(1) }, '/key'],
    [{ key: 'x'.repeat(10_240), ttl: seconds(1) }, '/key'],
    [{ key: 'a b', ttl: seconds(1) }, '/key'],
    [{ key: 'a:meta:b', ttl: seconds(1) }, '/key'],
    [{ key: 'k' }, '/ttl'],
    [{ key: 'k', ttl: 'long' }, '/ttl'],
    [{ key: 'k', ttl: seconds(-1) }, '/ttl/value'],
    [{ key: 'k', ttl: seconds(0) }, '/ttl/value'],
    [{ key: 'k', ttl: { value: 25, unit: 'hour' } }, '/ttl/value'],
    [{ key: 'k', ttl: { value: 1, unit: 'moon' } }, '/ttl/unit'],
    [{ key: 'k', ttl: seconds(1), block: seconds(-5) }, '/block/value'],
    [{ key: 'k', ttl: seconds(1), scope: 'world' }, '/scope'],
    [{ key: 'k', ttl: seconds(1), owner: '' }, '/owner'],
    [{ key: 'k', ttl: seconds(1), auto_release: 'yes' }, '/auto_release'],
  ])('answers INVALID_ARGUMENTS to %j', async (options, path) => {
    let ran = false
    const { lock } = setUp(createMemoryStore(), () => {
      ran = true
    })
    const response = await lock(options)
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options${path}` },
    })
    expect(ran).toBe(false)
  })

  it.each(['release', 'force-release', 'status'])(
    '[F-175] answers INVALID_ARGUMENTS to %s without a key',
    async (name) => {
      const { manage } = setUp(createMemoryStore())
      const response = await manage(name, { owner: 'me' })
      expect(response.body.errors?.[0]).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        source: { pointer: '/call/arguments/key' },
      })
    },
  )

  it('understands the spelling atomicLock and echoes it', async () => {
    const { lock } = setUp(createMemoryStore())
    const urn = 'urn:forrst:ext:atomicLock'
    const response = await lock({ key: 'k', ttl: seconds(1) }, 'payments.charge', { urn })
    expect(dataOf(response, urn)).toMatchObject({ acquired: true })
  })

  it('refuses calls while the store is away, and runs nothing', async () => {
    let runs = 0
    const { store, fail } = createFailingStore()
    const { lock } = setUp(store, () => {
      runs++
    })
    for (const operation of ['putIfAbsent', 'next', 'compareAndSet']) {
      fail([operation])
      const response = await lock({ key: 'k', ttl: seconds(30) })
      expect(response.body.errors?.[0].code).toBe('UNAVAILABLE')
    }
    expect(runs).toBe(0)
    fail(false)
    expect((await lock({ key: 'k', ttl: seconds(30) })).status).toBe(200)
  })

  it('runs without a lock while the store is away where that is wanted', async () => {
    const { store, fail } = createFailingStore()
    const { lock } = setUp(store, undefined, { onStoreFailure: 'proceed' })
    fail(true)
    const response = await lock({ key: 'k', ttl: seconds(30) })
    expect(response.status).toBe(200)
    expect(dataOf(response, URN)).toEqual({ key: 'k', acquired: false })
  })

  it('answers what the function gave when only the release fails', async () => {
    const { store, fail } = createFailingStore()
    const { lock, log } = setUp(store)
    fail(['deleteIfOwner'])
    expect((await lock({ key: 'k', ttl: seconds(30) })).body.result).toEqual({ done: true })
    expect(log.lines.map(({ message }) => message)).toContain('a lock could not be released')
  })

  it('prolongs the lock while the function runs', async () => {
    let now = 0
    const { store, asked } = createFailingStore(
      createMemoryStore({ clock: { elapsed: () => now } }),
    )
    const { handler, running, finish } = holdOn()
    const { lock } = setUp(store, handler)
    const ttl = { value: 30, unit: 'millisecond' }
    const first = lock({ key: 'k', ttl })
    await vi.waitFor(() => expect(running()).toBe(1))
    const renewals = () => asked.filter((name) => name === 'compareAndSet').length
    for (let round = 0; round < 4; round++) {
      const before = renewals()
      await vi.waitFor(() => expect(renewals()).toBeGreaterThan(before + 1), { interval: 1 })
      now += 25
    }
    expect((await lock({ key: 'k', ttl })).body.errors?.[0].code).toBe('LOCK_ACQUISITION_FAILED')
    finish()
    expect((await first).status).toBe(200)
  })

  it('aborts the function when the lock is taken away, and its token is refused from then on', async () => {
    const store = createMemoryStore()
    const key = 'forrst_lock:payments.charge:k'
    let reason: unknown
    let token = 0
    const holder = setUp(store, async ({ signal, call: { facts } }) => {
      token = facts.fencingToken ?? 0
      await store.delete(`lock:${key}`)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      reason = signal.reason
      throw signal.reason
    })
    const ttl = { value: 30, unit: 'millisecond' }
    const response = await holder.lock({ key: 'k', ttl })
    expect(reason).toMatchObject({ code: 'LOCK_ACQUISITION_FAILED' })
    expect(response.body.errors?.[0].message).toBe('The lock was lost while the function ran')
    let newer = 0
    const next = setUp(store, async ({ call: { facts } }) => {
      newer = facts.fencingToken ?? 0
      await advanceFence(store, 'ledger', newer)
    })
    await next.lock({ key: 'k', ttl: seconds(30) })
    expect(newer).toBeGreaterThan(token)
    await expect(advanceFence(store, 'ledger', token)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(advanceFence(store, 'ledger', newer)).resolves.toBeUndefined()
    await expect(advanceFence(store, 'ledger', newer + 1)).resolves.toBeUndefined()
  })

  it('aborts the function when the store stays away for longer than the lock lives', async () => {
    const { store, fail } = createFailingStore()
    const service = setUp(store, async ({ signal }) => {
      fail(true)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      throw signal.reason
    })
    const advance = setInterval(() => service.clock.advance(20), 5)
    const response = await service.lock({ key: 'k', ttl: { value: 30, unit: 'millisecond' } })
    clearInterval(advance)
    expect(response.body.errors?.[0].message).toBe('The lock was lost while the function ran')
  })

  it('never takes the lock of another call that uses the same owner', async () => {
    let now = 0
    const store = createMemoryStore({ clock: { elapsed: () => now } })
    const { handler, running, finish } = holdOn()
    const slow = setUp(store, handler, { renewFor: false })
    const first = slow.lock({ key: 'k', ttl: seconds(1), owner: 'me' })
    await vi.waitFor(() => expect(running()).toBe(1))
    now += 2_000
    const { lock, manage } = setUp(store)
    await lock({ key: 'k', ttl: seconds(30), owner: 'me', auto_release: false })
    finish()
    await first
    const status = await manage('status', { key: 'forrst_lock:payments.charge:k' })
    expect(status.body.result).toMatchObject({ locked: true })
  })

  it('wakes those who wait in one process in the order of their coming', async () => {
    const queue = createLockQueue()
    const { signal } = new AbortController()
    const woken: string[] = []
    const waits = ['first', 'second'].map((name) =>
      queue.wait('k', 1_000_000, signal).then(() => woken.push(name)),
    )
    queue.wake('other')
    queue.wake('k')
    await waits[0]
    expect(woken).toEqual(['first'])
    queue.wake('k')
    await waits[1]
    expect(woken).toEqual(['first', 'second'])
  })

  it('stops waiting when the caller leaves', async () => {
    const { lock } = setUp(createMemoryStore())
    await lock({ key: 'k', ttl: seconds(30), auto_release: false })
    const caller = new AbortController()
    const waiting = lock({ key: 'k', ttl: seconds(30), block: seconds(30) }, 'payments.charge', {
      signal: caller.signal,
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    caller.abort()
    expect((await waiting).body.errors?.[0].code).toBe('CANCELLED')
  })

  it('stops waiting at the deadline', async () => {
    const store = createMemoryStore()
    const { lock } = setUp(store)
    await lock({ key: 'k', ttl: seconds(30), auto_release: false })
    const deadline = {
      urn: 'urn:forrst:ext:deadline',
      options: { value: 20, unit: 'millisecond' },
    }
    const ask = { key: 'k', ttl: seconds(30), block: seconds(30) }
    const response = await lock(ask, 'payments.charge', { extensions: [deadline] })
    expect(response.body.errors?.[0].code).toBe('DEADLINE_EXCEEDED')
  })
})
