import type {
  Advance,
  Advanced,
  Attempt,
  Backend,
  KeyRange,
  Replace,
  Row,
  Write,
} from './backend.ts'
import { notACounter, toSwept } from './front.ts'

/** Items in order, with insertion and removal at a cost that hardly grows with their number. */
export interface SortedList<Item> {
  add(item: Item): void
  remove(item: Item): void
  first(): Item | undefined
  /** Walks in order from the first item that is not before the given one; the list must not change meanwhile. */
  from(item: Item): Generator<Item>
}

const CHUNK = 512

/** Creates an empty list; `compare` must tell any two different items apart. */
export function createSortedList<Item>(
  compare: (left: Item, right: Item) => number,
): SortedList<Item> {
  const chunks: Item[][] = []

  function locate(item: Item): Place<Item> {
    const at = findChunk(item)
    const chunk = chunks[at]
    return { at, chunk, index: chunk ? findIndex(chunk, item) : 0 }
  }

  // Written out twice: a search that calls a condition per step takes twice as long, and every write searches.
  function findChunk(item: Item): number {
    let low = 0
    let high = chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const chunk = chunks[middle] as Item[]
      if (compare(chunk[chunk.length - 1] as Item, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  function findIndex(chunk: readonly Item[], item: Item): number {
    let low = 0
    let high = chunk.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(chunk[middle] as Item, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(item) {
      const { at, chunk, index } = locate(item)
      // Beyond the last item: fill the last chunk up, so that ascending insertions leave no half chunks.
      const target = chunk ?? chunks.at(-1)
      if (!target) {
        chunks.push([item])
        return
      }
      target.splice(chunk ? index : target.length, 0, item)
      if (target.length > CHUNK) {
        const cut = chunk ? CHUNK / 2 : CHUNK
        chunks.splice((chunk ? at : chunks.length - 1) + 1, 0, target.splice(cut))
      }
    },
    remove(item) {
      const { at, chunk, index } = locate(item)
      const found = chunk?.[index]
      if (!chunk || found === undefined || compare(found, item) !== 0) return
      chunk.splice(index, 1)
      if (chunk.length === 0) chunks.splice(at, 1)
    },
    first: () => chunks[0]?.[0],
    *from(item) {
      const { at, index } = locate(item)
      for (let next = at, start = index; next < chunks.length; next++, start = 0) {
        const chunk = chunks[next] ?? []
        for (let position = start; position < chunk.length; position++) {
          yield chunk[position] as Item
        }
      }
    },
  }
}

interface Place<Item> {
  readonly at: number
  readonly chunk: Item[] | undefined
  readonly index: number
}

/** A record with the moment it ends, on the clock of its table; null when it stays. */
export interface TableRow {
  readonly key: string
  readonly text: string
  readonly owner: string | null
  readonly expiresAt: number | null
}

/** A record as it lies in a table. */
export interface SavedRow extends TableRow {
  readonly revision: number
}

/** What becomes of a row of a known revision; `keep` leaves that part as it is. */
export interface TableChange {
  readonly key: string
  readonly text: string
  readonly revision: number
  readonly owner: Replace['owner']
  readonly expiresAt: number | null | 'keep'
}

/** Rows that one process at a time reads and changes without waiting: memory, or SQLite in a transaction. */
export interface Table {
  now(): number
  find(key: string): SavedRow | undefined
  /** Writes the row and answers its new revision. */
  save(row: TableRow): number
  /** Writes a row in one step and answers its revision; undefined when the key is taken, if only by an expired row. */
  insert?(row: TableRow): number | undefined
  /** Replaces a row in one step; undefined when that cannot be done, for whatever reason. */
  update?(change: TableChange, now: number): number | undefined
  remove(key: string): void
  range(range: KeyRange, limit: number, now: number): SavedRow[]
  removeExpired(limit: number, now: number): number
  nextInSequence(): number
}

/** How steps on a table run: a write step is all or nothing and alone. */
export interface Execution {
  readonly read: <Result>(step: () => Result) => Promise<Result>
  /** What is lazy may reach the disk with the next write that is not. */
  readonly write: <Result>(step: () => Result, lazy?: boolean) => Promise<Result>
}

/** The operations of a backend that are the same for every table. */
export type TableOperations = Omit<Backend, 'kind' | 'check' | 'abandon' | 'close'>

/** Builds the operations of a backend out of steps on a table. */
export function toOperations(table: Table, { read, write }: Execution): TableOperations {
  return {
    get: (key) => read(() => findRow(table, key)),
    put: (entry) => write(() => table.save(toTableRow(table, entry)), entry.lazy),
    putIfAbsent: (entry) => write(() => putIfAbsent(table, entry), entry.lazy),
    compareAndSet: (replace) => write(() => compareAndSet(table, replace)),
    delete: (key) =>
      write(() => {
        const existed = findAlive(table, key) !== undefined
        table.remove(key)
        return existed
      }),
    deleteIfOwner: (key, owner) =>
      write(() => {
        const row = findAlive(table, key)
        if (!row) return 'absent'
        if (row.owner !== owner) return 'foreign'
        table.remove(key)
        return 'deleted'
      }),
    increment: (advance) => write(() => increment(table, advance)),
    next: () => write(() => table.nextInSequence()),
    range: (range, limit) =>
      read(() => {
        const now = table.now()
        return table.range(range, limit, now).map((row) => toRow(row, now))
      }),
    sweep: (limit) => write(() => toSwept(table.removeExpired(limit, table.now()), limit)),
  }
}

function putIfAbsent(table: Table, entry: Write): Attempt {
  const inserted = table.insert?.(toTableRow(table, entry))
  if (inserted !== undefined) return { done: true, revision: inserted }
  const row = findRow(table, entry.key)
  if (row) return { done: false, row }
  return { done: true, revision: table.save(toTableRow(table, entry)) }
}

function compareAndSet(table: Table, { key, text, revision, ttl, owner }: Replace): Attempt {
  const until = ttl === 'keep' ? ttl : toExpiry(table, ttl)
  const change = { key, text, revision, owner, expiresAt: until }
  const updated = table.update?.(change, table.now())
  if (updated !== undefined) return { done: true, revision: updated }
  const row = findAlive(table, key)
  if (row?.revision !== revision) return { done: false, row: row && toRow(row, table.now()) }
  const saved = table.save({
    key,
    text,
    owner: owner === 'keep' ? row.owner : owner.set,
    expiresAt: until === 'keep' ? row.expiresAt : until,
  })
  return { done: true, revision: saved }
}

function increment(table: Table, { key, by, ttl }: Advance): Advanced {
  const row = findAlive(table, key)
  const value = (row ? toCount(row.text) : 0) + by
  if (!Number.isSafeInteger(value)) throw notACounter()
  const owner = row?.owner ?? null
  const expiresAt = row ? row.expiresAt : toExpiry(table, ttl)
  const revision = table.save({ key, text: String(value), owner, expiresAt })
  return { value, revision, ttl: toTtl(expiresAt, table.now()) }
}

function toCount(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN
}

function findAlive(table: Table, key: string): SavedRow | undefined {
  const row = table.find(key)
  return row && (row.expiresAt === null || row.expiresAt > table.now()) ? row : undefined
}

function findRow(table: Table, key: string): Row | undefined {
  const row = findAlive(table, key)
  return row && toRow(row, table.now())
}

function toTableRow(table: Table, { key, text, owner, ttl }: Write): TableRow {
  return { key, text, owner, expiresAt: toExpiry(table, ttl) }
}

function toExpiry(table: Table, ttl: number | null): number | null {
  return ttl === null ? null : table.now() + ttl
}

function toRow({ key, text, revision, owner, expiresAt }: SavedRow, now: number): Row {
  return { key, text, revision, owner, ttl: toTtl(expiresAt, now) }
}

function toTtl(expiresAt: number | null, now: number): number | null {
  return expiresAt === null ? null : Math.max(0, Math.ceil(expiresAt - now))
}
