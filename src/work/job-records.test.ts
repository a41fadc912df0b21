import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../store/memory/memory.ts'
import type { Store } from '../store/store.ts'
import { systemClock } from '../values/time.ts'
import { createInProcessQueue } from './in-process.ts'
import { createJobRecords } from './job-records.ts'

const SLOT = 'job:n:ready:05:0000001700000000000-000000000-abcdefgh'
const HASH = createHash('sha256').update('"a"').digest('base64url')
const ITEM = `job:n:item:${HASH}`
const JOB = { id: 'a', data: { n: 1 }, attempt: 2, priority: 5 }

/** A store as an earlier release left it: the slot holds the hash of the id, the other entry the job. */
async function openEarlier(slot = SLOT): Promise<Store> {
  const store = createMemoryStore()
  await store.put(ITEM, { ...JOB, slot }, { ttl: null })
  await store.put(SLOT, HASH, { ttl: null })
  return store
}

const keysOf = async (store: Store) =>
  (await store.listByPrefix('job:')).entries.map(({ key }) => key)

describe('jobs that an earlier release added', () => {
  it('run with their data and their attempts, and leave nothing behind', async () => {
    const store = await openEarlier()
    const queue = createInProcessQueue(store, { pollMs: 20 })
    const run = vi.fn(async (_job: object) => {})
    queue.work('n', run)
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1))
    expect(run.mock.lastCall?.[0]).toMatchObject({ id: 'a', data: { n: 1 }, attempt: 3 })
    await queue.close()
    expect(await keysOf(store)).toEqual([])
  })

  it('are there already for whoever adds or removes their id', async () => {
    const store = await openEarlier()
    const queue = createInProcessQueue(store)
    await queue.add({ name: 'n', id: 'a', data: null })
    expect(await keysOf(store)).toEqual([ITEM, SLOT])
    expect(await queue.remove('n', 'a')).toBe(true)
    expect(await keysOf(store)).toEqual([])
    await queue.close()
  })

  it('stay as they are while a process of that release holds their lease', async () => {
    const store = await openEarlier()
    await store.put(`job:n:lease:${HASH}`, null, { ttl: 60_000, owner: 'old' })
    const records = createJobRecords(store, systemClock)
    expect((await records.list('n')).places).toEqual([])
    expect((await store.get(SLOT))?.value).toBe(HASH)
    await store.delete(`job:n:lease:${HASH}`)
    expect((await records.list('n')).places).toMatchObject([JOB])
  })

  it('lose a slot that they were moved out of', async () => {
    const store = await openEarlier('job:n:ready:05:another')
    const records = createJobRecords(store, systemClock)
    expect((await records.list('n')).places).toEqual([])
    await vi.waitFor(async () => expect(await keysOf(store)).toEqual([ITEM]))
  })

  it('are not removed by a process that saw their slot before another one took them over', async () => {
    const store = await openEarlier()
    const slow = new Proxy(store, {
      get(target, name, receiver) {
        if (name !== 'listByPrefix') return Reflect.get(target, name, receiver)
        return async (prefix: string) => {
          const seen = await target.listByPrefix(prefix)
          await createJobRecords(target, systemClock).list('n')
          return seen
        }
      },
    })
    expect((await createJobRecords(slow, systemClock).list('n')).places).toEqual([])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await createJobRecords(store, systemClock).list('n')).places).toMatchObject([JOB])
  })

  it('are left to others when the process that took them over died before it could name them', async () => {
    const store = await openEarlier()
    await store.put(SLOT, JOB, { ttl: null, owner: 'dead' })
    const records = createJobRecords(store, systemClock)
    const [place] = (await records.list('n')).places
    expect(place && (await records.isLeft(place))).toBe(true)
    expect((await store.get(ITEM))?.value).toBe(SLOT)
  })
})

describe('a job that another process has taken over', () => {
  it('is not put back a second time', async () => {
    const store = createMemoryStore()
    const records = createJobRecords(store, systemClock)
    const added = await records.add({ name: 'n', id: 'a', data: null, delayMs: 0, priority: 5 })
    const first = added && (await records.claim(added, 'one'))
    const second = first && (await records.claim(first, 'two'))
    if (!(first && second)) throw new Error('not claimed')
    await records.putBack(first, { delayMs: 10, attempt: 1 })
    expect(await keysOf(store)).toEqual([ITEM, second.key])
    expect(await records.finish(second)).toBe(true)
    expect(await keysOf(store)).toEqual([])
  })
})
