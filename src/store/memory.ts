import { type Clock, systemClock } from '../core/clock.ts'
import { createStore } from './front.ts'
import { compareKeys } from './range.ts'
import { createSortedList } from './sorted-list.ts'
import type { Store } from './store.ts'
import type { SweepOptions } from './sweep.ts'
import { type SavedRow, type Table, toOperations } from './table.ts'

/** What a memory store can be told. */
export interface MemoryStoreOptions {
  /** Expiry follows `elapsed`, which never jumps; the clock of this machine when absent. */
  readonly clock?: Pick<Clock, 'elapsed'>
  readonly sweep?: SweepOptions
}

/** A store in this process, and how many entries it really holds. */
export interface MemoryStore extends Store {
  /** Entries in memory, including expired ones that were not removed yet. */
  readonly size: number
}

/** Creates a store that lives and dies with this process: for tests and for a single process. */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { clock = systemClock, sweep } = options
  const { table, size } = createTable(() => clock.elapsed())
  const operations = toOperations(table, {
    read: async (step) => step(),
    write: async (step) => {
      // Timers starve under load; two removals per write keep the memory flat without them.
      table.removeExpired(2, table.now())
      return step()
    },
  })
  const store = createStore(
    {
      kind: 'memory',
      ...operations,
      check: async () => {},
      abandon: () => {},
      close: async () => {},
    },
    sweep,
  )
  return {
    ...store,
    get size() {
      return size()
    },
  }
}

type Expiring = SavedRow & { readonly expiresAt: number }

function createTable(now: () => number): { table: Table; size: () => number } {
  const rows = new Map<string, SavedRow>()
  const keys = createSortedList<string>(compareKeys)
  const expiring = createSortedList<Expiring>(
    (left, right) => left.expiresAt - right.expiresAt || compareKeys(left.key, right.key),
  )
  let revision = 0
  let sequence = 0

  function remove(key: string): void {
    const row = rows.get(key)
    if (!row) return
    rows.delete(key)
    keys.remove(key)
    if (isExpiring(row)) expiring.remove(row)
  }

  const table: Table = {
    now,
    find: (key) => rows.get(key),
    save(row) {
      const before = rows.get(row.key)
      const saved = { ...row, revision: ++revision }
      rows.set(row.key, saved)
      if (!before) keys.add(row.key)
      if (before?.expiresAt === saved.expiresAt) return revision
      if (before && isExpiring(before)) expiring.remove(before)
      if (isExpiring(saved)) expiring.add(saved)
      return revision
    },
    remove,
    range({ start, after, end }, limit, at) {
      const found: SavedRow[] = []
      for (const key of keys.from(after ?? start)) {
        if (found.length === limit || (end !== undefined && compareKeys(key, end) >= 0)) break
        const row = rows.get(key)
        if (row && key !== after && (row.expiresAt === null || row.expiresAt > at)) found.push(row)
      }
      return found
    },
    removeExpired(limit, at) {
      let removed = 0
      for (let row = expiring.first(); row && removed < limit; row = expiring.first()) {
        if (row.expiresAt > at) break
        remove(row.key)
        removed++
      }
      return removed
    },
    nextInSequence: () => ++sequence,
  }
  return { table, size: () => rows.size }
}

function isExpiring(row: SavedRow): row is Expiring {
  return row.expiresAt !== null
}
