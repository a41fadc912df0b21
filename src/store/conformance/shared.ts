import assert from 'node:assert/strict'
import type { ConformanceCase } from './types.ts'

/** Cases about many callers at once, other processes, restarts and closing. */
export const SHARED_CASES: readonly ConformanceCase[] = [
  {
    name: 'shows a lazy entry to others at once, as any other, and keeps it when it closes',
    needs: 'shared',
    async run(store, { prefix, open }) {
      const key = `${prefix}lazy`
      const other = await open()
      const created = await store.putIfAbsent(key, 1, { ttl: null, lazy: true })
      assert.equal(created.created, true)
      assert.equal((await other.putIfAbsent(key, 2, { ttl: null })).created, false)
      await store.put(`${key}-too`, 1, { ttl: null, lazy: true })
      await other.close()
      const third = await open()
      assert.equal((await third.get(key))?.value, 1)
      assert.equal((await third.get(`${key}-too`))?.value, 1)
      await third.close()
    },
  },
  {
    name: 'lets exactly one of many callers at once win',
    async run(store, { prefix }) {
      const callers = Array.from({ length: 50 }, (_, caller) => caller)
      const puts = callers.map((caller) => store.putIfAbsent(`${prefix}a`, caller, { ttl: null }))
      const winners = (await Promise.all(puts)).flatMap((put, caller) =>
        put.created ? caller : [],
      )
      assert.equal(winners.length, 1)
      const entry = await store.get(`${prefix}a`)
      assert.ok(entry)
      assert.equal(entry.value, winners[0])
      const { revision } = entry
      const swaps = callers.map((caller) =>
        store.compareAndSet(`${prefix}a`, caller, { revision, ttl: null }),
      )
      const swapped = (await Promise.all(swaps)).filter((swap) => swap.swapped)
      assert.equal(swapped.length, 1)
      const counts = await Promise.all(
        callers.map(() => store.increment(`${prefix}b`, { ttl: 60_000 })),
      )
      assert.deepEqual(
        new Set(counts.map((count) => count.value)),
        new Set(callers.map((n) => n + 1)),
      )
    },
  },
  {
    name: 'adds up the increments of several processes',
    needs: 'processes',
    async run(store, { prefix, inProcesses }) {
      const seen = (await inProcesses({ kind: 'increment', key: `${prefix}a`, times: 50 })).flat()
      assert.equal(new Set(seen).size, seen.length)
      assert.equal((await store.get(`${prefix}a`))?.value, seen.length)
    },
  },
  {
    name: 'gives each key to exactly one of several processes with putIfAbsent',
    needs: 'processes',
    async run(_, { prefix, inProcesses }) {
      const won = (await inProcesses({ kind: 'putIfAbsent', key: prefix, times: 50 })).flat()
      const sorted = won.toSorted((left, right) => left - right)
      assert.deepEqual(
        sorted,
        Array.from({ length: 50 }, (_, at) => at),
      )
    },
  },
  {
    name: 'loses no update of several processes that compare and set',
    needs: 'processes',
    async run(store, { prefix, inProcesses }) {
      await store.put(`${prefix}a`, 0, { ttl: 60_000 })
      const seen = (
        await inProcesses({ kind: 'compareAndSet', key: `${prefix}a`, times: 25 })
      ).flat()
      assert.equal(new Set(seen).size, seen.length)
      assert.equal((await store.get(`${prefix}a`))?.value, seen.length)
    },
  },
  {
    name: 'gives no number of a sequence twice to several processes, and each one ever higher ones',
    needs: 'processes',
    async run(store, { prefix, inProcesses }) {
      const before = await store.next(prefix)
      const parts = await inProcesses({ kind: 'next', key: prefix, times: 50 })
      for (const part of parts) {
        assert.deepEqual(
          part.toSorted((left, right) => left - right),
          part,
        )
        assert.ok((part[0] ?? 0) > before)
      }
      assert.equal(new Set(parts.flat()).size, parts.flat().length)
      assert.ok((await store.next(prefix)) > Math.max(...parts.flat()))
    },
  },
  {
    name: 'shows another store on the same data what was written, and goes on after a restart',
    needs: 'shared',
    async run(store, { prefix, open }) {
      const key = `${prefix}a`
      const first = await open()
      const { revision } = await first.put(key, 1, { ttl: 3_600_000, owner: 'me' })
      const number = await first.next(prefix)
      await first.delete(key)
      await first.put(key, 2, { ttl: 3_600_000, owner: 'me' })
      await first.close()
      assert.equal((await store.get(key))?.value, 2)
      const second = await open()
      assert.ok((await second.next(prefix)) > number)
      const stale = await second.compareAndSet(key, 3, { revision, ttl: null })
      assert.equal(stale.swapped, false)
      assert.equal(await second.deleteIfOwner(key, 'me'), 'deleted')
      assert.equal(await store.get(key), undefined)
      await second.close()
    },
  },
  {
    name: 'settles what is under way when it closes, and rejects with UNAVAILABLE afterwards',
    async run(_, { prefix, open }) {
      const store = await open()
      const puts = Array.from({ length: 100 }, (_, at) =>
        store.put(`${prefix}${at}`, at, { ttl: null }).then(
          () => 'done',
          (thrown: Error & { code?: string }) => thrown.code,
        ),
      )
      await Promise.all([store.close(), store.close()])
      for (const outcome of await Promise.all(puts)) {
        assert.ok(outcome === 'done' || outcome === 'UNAVAILABLE', outcome)
      }
      const closed = { code: 'UNAVAILABLE', message: /store is unavailable: it is closed/ }
      await assert.rejects(store.get(`${prefix}0`), closed)
      await assert.rejects(store.check(), closed)
      await store.close()
    },
  },
  {
    name: 'keeps every write that it acknowledged before it closed',
    needs: 'shared',
    async run(store, { prefix, open }) {
      const other = await open()
      const acknowledged: string[] = []
      const puts = Array.from({ length: 100 }, (_, at) =>
        other.put(`${prefix}${at}`, at, { ttl: null }).then(
          () => void acknowledged.push(`${prefix}${at}`),
          () => {},
        ),
      )
      await other.close()
      await Promise.all(puts)
      for (const key of acknowledged) assert.ok(await store.get(key), key)
    },
  },
  {
    name: 'says that it is well',
    run: (store) => store.check(),
  },
]
