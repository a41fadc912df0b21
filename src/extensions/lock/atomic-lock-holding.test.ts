import { describe, expect, it, vi } from 'vitest'
import { holdOn, seconds, setUp } from '../../../test/support/locks.ts'
import { createFailingStore } from '../../../test/support/stores.ts'
import { createMemoryStore } from '../../entries/store.ts'
import { advanceFence, createLockQueue } from './lease.ts'

describe('atomic lock extension', () => {
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

  it('prolongs the lock no longer than it is told to, and aborts the function then', async () => {
    // For the store no time passes: the lock ends because nobody prolongs it, not because a renewal came late.
    const holder = setUp(
      createMemoryStore({ clock: { elapsed: () => 0 } }),
      async ({ signal }) => {
        holder.clock.advance(2_000)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        throw signal.reason
      },
      { renewFor: { value: 1, unit: 'second' } },
    )
    const response = await holder.lock({ key: 'k', ttl: { value: 30, unit: 'millisecond' } })
    expect(response.body.errors?.[0].message).toBe('The lock was lost while the function ran')
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

  it('stops waiting at once, however long the pause is', async () => {
    const caller = new AbortController()
    const waiting = createLockQueue().wait('k', 3_600_000, caller.signal)
    caller.abort()
    await expect(waiting).resolves.toBeUndefined()
    await expect(createLockQueue().wait('k', 3_600_000, caller.signal)).resolves.toBeUndefined()
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
