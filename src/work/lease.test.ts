import { afterEach, describe, expect, it, vi } from 'vitest'
import { CallError } from '../errors/error.ts'
import { createMemoryStore } from '../store/memory/memory.ts'
import { createPresence, holdEntry, startKeepAlive } from './lease.ts'

describe('something that is renewed', () => {
  it('is stopped when the renewal under way has settled, and not before', async () => {
    let finish: ((goOn: boolean) => void) | undefined
    const renew = vi.fn(
      () =>
        new Promise<boolean>((resolve) => {
          finish = resolve
        }),
    )
    const kept = startKeepAlive(1, renew)
    await vi.waitFor(() => expect(finish).toBeDefined())
    const order: string[] = []
    const stopped = kept.stop().then(() => order.push('stopped'))
    await new Promise((resolve) => setImmediate(resolve))
    order.push('renewed')
    finish?.(true)
    await stopped
    expect(order).toEqual(['renewed', 'stopped'])
    expect(renew).toHaveBeenCalledTimes(1)
  })

  it('is renewed until the renewal says that it was the last', async () => {
    const answers = [true, true, false]
    const renew = vi.fn(async () => answers.shift() ?? true)
    startKeepAlive(1, renew)
    await vi.waitFor(() => expect(answers).toEqual([]))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(renew).toHaveBeenCalledTimes(3)
  })
})

describe('an entry that is held', () => {
  const open = async (owner = 'me') => {
    const store = createMemoryStore()
    const { revision } = await store.put('k', 1, { ttl: 1_000, owner })
    return { store, entry: { key: 'k', value: 1, revision, owner: 'me', leaseMs: 150 } }
  }

  it('is renewed no more after it was let go', async () => {
    const { store, entry } = await open()
    const renewed = vi.fn()
    const held = holdEntry(store, { ...entry, onRenewed: renewed })
    await vi.waitFor(() => expect(renewed.mock.calls.length).toBeGreaterThan(1))
    await held.stop()
    const before = renewed.mock.calls.length
    expect((await store.get('k'))?.revision).toBe(held.revision())
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(renewed).toHaveBeenCalledTimes(before)
  })

  it('is lost when somebody else has written it', async () => {
    const { store, entry } = await open()
    const lost = vi.fn()
    await store.put('k', 2, { ttl: null, owner: 'other' })
    holdEntry(store, { ...entry, onLost: lost })
    await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1))
  })

  it('is not lost by a renewal that was reported as failed and happened after all', async () => {
    const { store, entry } = await open()
    const renewed = vi.fn()
    await store.compareAndSet('k', 1, { revision: entry.revision, ttl: 1_000 })
    const held = holdEntry(store, { ...entry, onRenewed: renewed })
    await vi.waitFor(() => expect(renewed).toHaveBeenCalled())
    await held.stop()
  })
})

describe('the presence of a process', () => {
  afterEach(() => vi.useRealTimers())

  it('outlives a store that is away for less than half a lease, whenever that begins', async () => {
    vi.useFakeTimers()
    for (let begin = 0; begin < 300; begin += 50) {
      const store = createMemoryStore()
      let isAway = false
      const shaky = new Proxy(store, {
        get: (target, name, receiver) =>
          name === 'compareAndSet' && isAway
            ? () => Promise.reject(new CallError('UNAVAILABLE'))
            : Reflect.get(target, name, receiver),
      })
      const presence = createPresence(shaky, { keyOf: (token) => `p:${token}`, leaseMs: 900 })
      const { token, lost } = await presence.enter()
      await vi.advanceTimersByTimeAsync(begin)
      isAway = true
      await vi.advanceTimersByTimeAsync(440)
      isAway = false
      await vi.advanceTimersByTimeAsync(2_000)
      expect([begin, lost.aborted, await presence.isAlive(token)]).toEqual([begin, false, true])
      await presence.leave()
    }
  })

  it('is seen by others until it leaves, and has another name when it comes back', async () => {
    const store = createMemoryStore()
    const options = { keyOf: (token: string) => `p:${token}`, leaseMs: 1_000 }
    const here = createPresence(store, options)
    const other = createPresence(store, options)
    const { token } = await here.enter()
    expect((await here.enter()).token).toBe(token)
    expect(await other.isAlive(token)).toBe(true)
    await here.leave()
    expect(await other.isAlive(token)).toBe(false)
    expect((await here.enter()).token).not.toBe(token)
    await here.leave()
  })

  it('tells when it may have been taken for dead', async () => {
    const store = createMemoryStore()
    const presence = createPresence(store, { keyOf: (token) => `p:${token}`, leaseMs: 15 })
    const { token, lost } = await presence.enter()
    await store.delete(`p:${token}`)
    await vi.waitFor(() => expect(lost.aborted).toBe(true))
    expect((await presence.enter()).token).not.toBe(token)
    await presence.leave()
  })

  it('tells so in time when the store holds the renewal up', async () => {
    const store = createMemoryStore()
    const stalling = new Proxy(store, {
      get: (target, name, receiver) =>
        name === 'compareAndSet'
          ? () => new Promise(() => {})
          : Reflect.get(target, name, receiver),
    })
    const presence = createPresence(stalling, { keyOf: (token) => `p:${token}`, leaseMs: 30 })
    const { token, lost } = await presence.enter()
    await vi.waitFor(() => expect(lost.aborted).toBe(true))
    expect((await presence.enter()).token).not.toBe(token)
  })
})
