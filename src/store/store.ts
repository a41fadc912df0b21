import type { Json } from '../values/index.ts'

/** A piece of remembered state: what every stateful feature keeps, on every backend. */
export interface Entry {
  readonly key: string
  readonly value: Json
  /** Changes with every write of the key and never repeats for it, even after the entry was deleted or has expired. */
  readonly revision: number
  readonly owner: string | null
  /** Milliseconds left to live by the store's own clock; null when the entry stays until it is deleted. */
  readonly ttl: number | null
}

/** How an entry is written. */
export interface PutOptions {
  /** Milliseconds to live; null when the entry stays until it is deleted. */
  readonly ttl: number | null
  /** Who may delete the entry with `deleteIfOwner`; nobody when absent. */
  readonly owner?: string
  /**
   * Leaves the disk to the next write that does not say so: a power cut, not the end of a process, may undo the
   * entry, and never without what was written after it. SQLite is faster for it; others write as always.
   */
  readonly lazy?: boolean
}

/** How an entry is replaced. */
export interface CompareAndSetOptions {
  /** The revision the caller has seen; any other current revision refuses the write. */
  readonly revision: number
  /** Milliseconds to live from now, null for none, `keep` to leave the remaining time as it is. */
  readonly ttl: number | null | 'keep'
  /** A new owner, null for none; the owner stays as it is when absent. */
  readonly owner?: string | null
}

/** How a counter is advanced. */
export interface IncrementOptions {
  /** Milliseconds a new counter lives; a counter that exists keeps its remaining time. */
  readonly ttl: number | null
  /** A whole number, 1 when absent; may be negative. */
  readonly by?: number
}

/** Which part of a listing is wanted. */
export interface ListOptions {
  /** At most 1,000 entries; 100 when absent. */
  readonly limit?: number
  /** The `cursor` of the page before. */
  readonly cursor?: string
}

/** What a write answers. */
export interface Written {
  readonly revision: number
}

/** What `putIfAbsent` answers: the new revision, or the entry that was there first. */
export type PutIfAbsentResult =
  | { readonly created: true; readonly revision: number }
  | { readonly created: false; readonly entry: Entry }

/** What `compareAndSet` answers: the new revision, or the entry as it is now if there is one. */
export type CompareAndSetResult =
  | { readonly swapped: true; readonly revision: number }
  | { readonly swapped: false; readonly entry?: Entry }

/** What `deleteIfOwner` answers: `foreign` means the entry is somebody else's and still there. */
export type OwnerDelete = 'deleted' | 'absent' | 'foreign'

/** A counter after it was advanced. */
export interface Count {
  readonly value: number
  readonly revision: number
  /** Milliseconds until the counter starts anew; null when it never does. */
  readonly ttl: number | null
}

/** A page of entries in the byte order of their keys. */
export interface Page {
  readonly entries: readonly Entry[]
  /** Continues the listing; absent on the last page. */
  readonly cursor?: string
}

/** The server behind a store, for libraries that need a connection of their own to it. */
export interface StoreOrigin {
  /** As given to `openStore`; may hold a password. */
  readonly url: string
  /** The Redis key prefix or the PostgreSQL schema. */
  readonly namespace: string
}

/** Shared state with a time to live: one interface for memory, SQLite, Redis and PostgreSQL. */
export interface Store {
  /** The backend: `memory`, `sqlite`, `redis` or `postgres`; error messages name it. */
  readonly kind: string
  /** Absent for memory and SQLite, and for stores made from a client: job queues then need their own address. */
  readonly origin?: StoreOrigin
  /** Reads an entry; an expired one is not there. */
  get(key: string): Promise<Entry | undefined>
  /** Writes an entry whatever was there before. */
  put(key: string, value: Json, options: PutOptions): Promise<Written>
  /** Writes an entry only if the key is free, and answers the entry in the way if it is not. */
  putIfAbsent(key: string, value: Json, options: PutOptions): Promise<PutIfAbsentResult>
  /** Replaces an entry only if nobody has written it since the given revision. */
  compareAndSet(
    key: string,
    value: Json,
    options: CompareAndSetOptions,
  ): Promise<CompareAndSetResult>
  /** Deletes an entry and tells whether there was one. */
  delete(key: string): Promise<boolean>
  /** Deletes an entry only if it carries this owner. */
  deleteIfOwner(key: string, owner: string): Promise<OwnerDelete>
  /** Advances a counter, starting at zero where there is none. */
  increment(key: string, options: IncrementOptions): Promise<Count>
  /**
   * Answers a number higher than every number answered for this name before, across processes,
   * restarts and expiry: a fencing token. There may be gaps; names cost nothing to invent.
   */
  next(name: string): Promise<number>
  /** Lists the entries whose keys start with a prefix, a page at a time, at a cost that does not grow with their number. */
  listByPrefix(prefix: string, options?: ListOptions): Promise<Page>
  /** Resolves when the store can be read and written, rejects with UNAVAILABLE when it cannot. */
  check(): Promise<void>
  /** Tells how much room is left where the store keeps its file; absent where it has none. */
  readonly freeBytes?: () => Promise<number>
  /** Stops the store: what is under way settles, what comes later rejects. */
  close(): Promise<void>
}

/** Joins parts to a key so that no part can reach into another: `:` and `%` inside a part are escaped. */
export function storeKey(...parts: readonly string[]): string {
  return parts.map(escapePart).join(':')
}

/** Joins parts to a prefix that lists exactly the keys made by `storeKey` with these parts and at least one more. */
export function storePrefix(...parts: readonly string[]): string {
  return parts.map((part) => `${escapePart(part)}:`).join('')
}

/** Writes a moment (milliseconds since the epoch) as a key part that sorts the newest first. */
export function newestFirst(milliseconds: number): string {
  const inverted = Number.MAX_SAFE_INTEGER - Math.floor(milliseconds)
  return String(inverted).padStart(16, '0')
}

function escapePart(part: string): string {
  // A key made from foreign text (an owner, an idempotency key) must not end up under another prefix.
  return /[%:\0]/.test(part)
    ? part.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll('\0', '%00')
    : part
}
