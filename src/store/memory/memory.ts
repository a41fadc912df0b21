import { type Clock, systemClock } from '../../values/index.ts'
import { compareKeys } from '../backend.ts'
import { createStore, notApplied, type SweepOptions } from '../front.ts'
import type { Store } from '../store.ts'
import { createSortedList, type SavedRow, type Table, toOperations } from '../table.ts'

/** What a memory store can be told. */
export interface MemoryStoreOptions {
  /** Expiry follows `elapsed`, which never jumps; the clock of this machine when absent. */
  readonly clock?: Pick<Clock, 'elapsed'>
  readonly sweep?: SweepOptions
  /** Bytes that entries may take, at one byte per character; writes beyond are refused. 256 MiB when absent. */
  readonly maxBytes?: number
}

/** A store in this process, and how many entries it really holds. */
export interface MemoryStore extends Store {
  /** Entries in memory, including expired ones that were not removed yet. */
  readonly size: number
  /** Bytes of those entries. */
  readonly bytes: number
}

/** Creates a store that lives and dies with this process: for tests and for a single process. */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { clock = systemClock, sweep, maxBytes = 268_435_456 } = options
  if (!Number.isInteger(maxBytes) || maxBytes < 1) {
    throw new TypeError('maxBytes of a memory store must be a whole number of at least 1')
  }
  const { table, size, bytes } = createTable(() => clock.elapsed(), maxBytes)
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
    get bytes() {
      return bytes()
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

/** What a row takes beside its texts. */
const ROW_BYTES = 200

function bytesOf({ key, text }: { readonly key: string; readonly text: string }): number {
  return key.length + text.length + ROW_BYTES
}

function createTable(
  now: () => number,
  maxBytes: number,
): { table: Table; size: () => number; bytes: () => number } {
  let bytes = 0
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
    bytes -= bytesOf(row)
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

  /** Counts a row that is about to be written, and gives the one it replaces. */
  function admit(row: { readonly key: string; readonly text: string }): MemoryRow | undefined {
    let before = rows.get(row.key)
    let growth = bytesOf(row) - (before ? bytesOf(before) : 0)
    if (growth > 0 && bytes + growth > maxBytes) {
      table.removeExpired(rows.size, now())
      before = rows.get(row.key)
      growth = bytesOf(row) - (before ? bytesOf(before) : 0)
      if (bytes + growth > maxBytes) {
        throw notApplied('memory', `its ${maxBytes} bytes are used up`)
      }
    }
    bytes += growth
    return before
  }

  const table: Table = {
    now,
    find: (key) => rows.get(key),
    save({ key, text, owner, expiresAt }) {
      const before = admit({ key, text })
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
  return { table, size: () => rows.size, bytes: () => bytes }
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
