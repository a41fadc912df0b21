import assert from 'node:assert/strict'
import type { Store } from '../store.ts'
import type { ConformanceCase, ConformanceTask } from './types.ts'

/** Cases about time to live. */
export const TIME_CASES: readonly ConformanceCase[] = [
  {
    name: 'hides an expired entry from every operation at once',
    async run(store, { prefix, passTime }) {
      const key = `${prefix}a`
      const { revision } = await store.put(key, 1, { ttl: 50, owner: 'me' })
      await passTime(60)
      assert.equal(await store.get(key), undefined)
      assert.deepEqual((await store.listByPrefix(prefix)).entries, [])
      assert.deepEqual(await store.compareAndSet(key, 2, { revision, ttl: 'keep' }), {
        swapped: false,
      })
      assert.equal(await store.deleteIfOwner(key, 'me'), 'absent')
      assert.equal(await store.delete(key), false)
    },
  },
  {
    name: 'lets putIfAbsent and increment start anew where an entry has expired',
    async run(store, { prefix, passTime }) {
      const before = await store.put(`${prefix}a`, 1, { ttl: 50, owner: 'me' })
      await store.increment(`${prefix}b`, { ttl: 50, by: 7 })
      await store.put(`${prefix}c`, 'no number', { ttl: 50, owner: 'me' })
      await passTime(60)
      const again = await store.putIfAbsent(`${prefix}a`, 2, { ttl: null })
      assert.ok(again.created)
      assert.notEqual(again.revision, before.revision)
      assert.equal((await store.get(`${prefix}a`))?.owner, null)
      const counter = await store.increment(`${prefix}b`, { ttl: 60_000 })
      assert.equal(counter.value, 1)
      assert.ok(counter.ttl !== null && counter.ttl > 1000)
      assert.equal((await store.increment(`${prefix}c`, { ttl: null })).value, 1)
      assert.equal((await store.get(`${prefix}c`))?.owner, null)
    },
  },
  {
    name: 'counts the time to live down and extends it with compareAndSet',
    async run(store, { prefix, passTime }) {
      const key = `${prefix}a`
      const { revision } = await store.put(key, 1, { ttl: 60_000 })
      await passTime(20)
      const entry = await store.get(key)
      assert.ok(entry?.ttl != null && entry.ttl > 0 && entry.ttl <= 59_990, String(entry?.ttl))
      assert.ok((await store.compareAndSet(key, 1, { revision, ttl: 600_000 })).swapped)
      assert.ok(((await store.get(key))?.ttl ?? 0) > 60_000)
    },
  },
  {
    name: 'keeps an entry whose time to live was taken away or made longer',
    async run(store, { prefix, passTime }) {
      const first = await store.put(`${prefix}a`, 1, { ttl: 60 })
      await store.put(`${prefix}a`, 2, { ttl: null })
      await store.put(`${prefix}b`, 1, { ttl: 60 })
      await store.put(`${prefix}b`, 2, { ttl: 60_000 })
      await passTime(80)
      assert.equal((await store.get(`${prefix}a`))?.value, 2)
      assert.equal((await store.get(`${prefix}b`))?.value, 2)
      const stale = { revision: first.revision, ttl: null }
      assert.equal((await store.compareAndSet(`${prefix}a`, 3, stale)).swapped, false)
    },
  },
  {
    name: 'removes expired entries for good in the background, and only those',
    async run(store, { prefix, passTime, countRecords }) {
      const puts = Array.from({ length: 1200 }, (_, index) =>
        store.put(`${prefix}gone${index}`, index, { ttl: 50 }),
      )
      await Promise.all(puts)
      await store.put(`${prefix}stays`, 1, { ttl: null })
      await store.put(`${prefix}waits`, 1, { ttl: 3_600_000 })
      await passTime(60)
      for (let left = await countRecords(); left !== 2; left = await countRecords()) {
        assert.ok(left > 2, 'an entry that had not expired was removed')
        await passTime(20)
      }
      assert.equal((await store.listByPrefix(prefix)).entries.length, 2)
    },
  },
]

/** Does one process's part of a task and answers the numbers it saw. */
export function runConformanceTask(
  store: Store,
  task: ConformanceTask,
): Promise<readonly number[]> {
  return TASKS[task.kind](store, task)
}

type Work = (store: Store, task: ConformanceTask) => Promise<readonly number[]>

const TASKS: Readonly<Record<ConformanceTask['kind'], Work>> = {
  increment: (store, { key, times }) =>
    repeat(times, async () => (await store.increment(key, { ttl: null })).value),
  next: (store, { key, times }) => repeat(times, () => store.next(key)),
  /** Answers the positions whose key this process got. */
  async putIfAbsent(store, { key, times }) {
    const won: number[] = []
    for (let at = 0; at < times; at++) {
      const { created } = await store.putIfAbsent(`${key}${at}`, process.pid, { ttl: null })
      if (created) won.push(at)
    }
    return won
  },
  /** Adds one to a shared number, by compare and set. */
  compareAndSet: (store, { key, times }) => repeat(times, () => addOne(store, key)),
}

async function addOne(store: Store, key: string): Promise<number> {
  for (;;) {
    const entry = await store.get(key)
    if (!entry) throw new Error('The number to add to is missing')
    const value = Number(entry.value) + 1
    const { swapped } = await store.compareAndSet(key, value, {
      revision: entry.revision,
      ttl: 'keep',
    })
    if (swapped) return value
  }
}

async function repeat(times: number, work: () => Promise<number>): Promise<readonly number[]> {
  const seen: number[] = []
  for (let count = 0; count < times; count++) seen.push(await work())
  return seen
}
