import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../entries/store.ts'
import type { Backend } from './backend.ts'
import { createStore } from './front.ts'

/** A backend whose reads wait until they are let go. */
function createSlowBackend() {
  const log: string[] = []
  const waiting: { resolve: () => void; reject: (reason: Error) => void }[] = []
  const backend: Backend = {
    kind: 'slow',
    get: (key) =>
      new Promise((resolve, reject) => {
        const settle = () => {
          log.push(`answered ${key}`)
          resolve(undefined)
        }
        waiting.push({ resolve: settle, reject })
      }),
    put: async () => 1,
    putIfAbsent: async () => ({ done: false, row: undefined }),
    compareAndSet: async () => ({ done: false, row: undefined }),
    delete: async () => false,
    deleteIfOwner: async () => 'absent',
    increment: async () => ({ value: 1, revision: 1, ttl: null }),
    next: async () => 1,
    range: async () => [],
    sweep: async () => 'none',
    check: async () => {},
    abandon: () => void log.push('abandon'),
    close: async () => void log.push('close'),
  }
  return { backend, log, waiting }
}

describe('a store', () => {
  it('closes its backend after the last operation under way, once', async () => {
    const { backend, log, waiting } = createSlowBackend()
    const store = createStore(backend)
    const reads = [store.get('a'), store.get('b')]
    const closing = [store.close(), store.close()]
    for (const { resolve } of waiting) {
      resolve()
      await new Promise(setImmediate)
    }
    await Promise.all([...reads, ...closing])
    expect(log).toEqual(['abandon', 'answered a', 'answered b', 'close'])
  })

  it('turns what a driver throws into UNAVAILABLE, with the original as its cause', async () => {
    const { backend, waiting } = createSlowBackend()
    const store = createStore(backend)
    const read = store.get('a')
    const original = new Error('connect ECONNREFUSED 10.0.0.7:6379')
    waiting[0]?.reject(original)
    await expect(read).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The slow store is unavailable: it did not answer',
      cause: original,
      errors: [{ details: { store: 'slow', outcome: 'unknown' } }],
    })
    await store.close()
  })

  it('says so when a key is never free and never there', async () => {
    const store = createStore(createSlowBackend().backend)
    await expect(store.putIfAbsent('a', 1, { ttl: null })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      errors: [{ details: { outcome: 'not_applied' } }],
    })
    await store.close()
  })

  it('lets a process end that has forgotten to close it', () => {
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    createMemoryStore()
    const after = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    expect(after).toBe(timers)
  })
})
