import { type Clock, systemClock } from '../../values/index.ts'
import { compareKeys } from '../backend.ts'
import { createStore, type SweepOptions } from '../front.ts'
import type { Store } from '../store.ts'
import { createSortedList, type SavedRow, type Table, toOperations } from '../table.ts'

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

/** Says when to look whether a row has expired. */
interface Appointment {
  readonly key: string
  readonly at: number
}

interface MemoryRow extends SavedRow {
  /** Never after the row expires; null when it stays. */
  readonly appointment: Appointment | null
}

function createTable(now: () => number): { table: Table; size: () => number } {
  const rows = new Map<string, MemoryRow>()
  const order = createKeyOrder()
  const keys = createSortedList<string>(order.compare)
  const appointments = createSortedList<Appointment>(
    (left, right) => left.at - right.at || compareKeys(left.key, right.key),
  )
  let revision = 0
  let sequence = 0

  function remove(key: string): void {
    const row = rows.get(key)
    if (!row) return
    rows.delete(key)
    keys.remove(key)
    if (row.appointment) appointments.remove(row.appointment)
  }

  /** A row that lives longer than before keeps its appointment: most rows are rewritten far more often than they end. */
  function appoint(key: string, at: number | null, before: Appointment | null): Appointment | null {
    if (before && at !== null && before.at <= at) return before
    if (before) appointments.remove(before)
    if (at === null) return null
    const appointment = { key, at }
    appointments.add(appointment)
    return appointment
  }

  const table: Table = {
    now,
    find: (key) => rows.get(key),
    save({ key, text, owner, expiresAt }) {
      const before = rows.get(key)
      revision += 1
      const appointment = appoint(key, expiresAt, before?.appointment ?? null)
      rows.set(key, { key, text, owner, expiresAt, revision, appointment })
      if (!before) {
        order.admit(key)
        keys.add(key)
      }
      return revision
    },
    remove,
    range({ start, after, end }, limit, at) {
      const found: SavedRow[] = []
      order.admit(after ?? start)
      for (const key of keys.from(after ?? start)) {
        if (found.length === limit || (end !== undefined && compareKeys(key, end) >= 0)) break
        const row = rows.get(key)
        if (row && key !== after && (row.expiresAt === null || row.expiresAt > at)) found.push(row)
      }
      return found
    },
    removeExpired(limit, at) {
      let kept = 0
      for (; kept < limit; kept += 1) {
        const due = appointments.first()
        if (due === undefined || due.at > at) break
        const row = rows.get(due.key)
        if (row?.expiresAt != null && row.expiresAt > at) {
          appointments.remove(due)
          rows.set(row.key, { ...row, appointment: appoint(row.key, row.expiresAt, null) })
        } else {
          remove(due.key)
        }
      }
      return kept
    },
    nextInSequence: () => ++sequence,
  }
  return { table, size: () => rows.size }
}

interface KeyOrder {
  readonly compare: (left: string, right: string) => number
  /** Has to see every key before it is compared. */
  readonly admit: (key: string) => void
}

/** JavaScript's own order is several times as fast, and the same until a key leaves the basic plane. */
function createKeyOrder(): KeyOrder {
  let isAstral = false
  return {
    compare(left, right) {
      if (isAstral) return compareKeys(left, right)
      if (left === right) return 0
      return left < right ? -1 : 1
    },
    admit(key) {
      isAstral ||= SURROGATE.test(key)
    },
  }
}

const SURROGATE = /[\ud800-\udfff]/
