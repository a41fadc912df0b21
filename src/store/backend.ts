import type { KeyRange } from './range.ts'
import type { OwnerDelete } from './store.ts'

/** An entry as a backend holds it: the value is JSON text. */
export interface Row {
  readonly key: string
  readonly text: string
  readonly revision: number
  readonly owner: string | null
  readonly ttl: number | null
}

/** What a backend writes. */
export interface Write {
  readonly key: string
  readonly text: string
  readonly ttl: number | null
  readonly owner: string | null
  /** May reach the disk with the next write. */
  readonly lazy?: boolean | undefined
}

/** What a backend replaces when the revision fits; `keep` leaves that part of the entry as it is. */
export interface Replace {
  readonly key: string
  readonly text: string
  readonly revision: number
  readonly ttl: number | null | 'keep'
  readonly owner: { readonly set: string | null } | 'keep'
}

/** What a backend advances. */
export interface Advance {
  readonly key: string
  readonly by: number
  readonly ttl: number | null
}

/** A conditional write: the new revision, or the row that was in the way. */
export type Attempt =
  | { readonly done: true; readonly revision: number }
  | { readonly done: false; readonly row: Row | undefined }

/** A counter after a backend advanced it. */
export interface Advanced {
  readonly value: number
  readonly revision: number
  readonly ttl: number | null
}

/** What a round of removing found: `many` means that another round is worth it at once. */
export type Swept = 'none' | 'some' | 'many'

/** What one database can do: arguments are checked already, failures may be any error. */
export interface Backend {
  readonly kind: string
  get(key: string): Promise<Row | undefined>
  put(write: Write): Promise<number>
  putIfAbsent(write: Write): Promise<Attempt>
  compareAndSet(replace: Replace): Promise<Attempt>
  delete(key: string): Promise<boolean>
  deleteIfOwner(key: string, owner: string): Promise<OwnerDelete>
  increment(advance: Advance): Promise<Advanced>
  next(name: string): Promise<number>
  /** The first rows of a range in byte order, at most `limit`. */
  range(range: KeyRange, limit: number): Promise<readonly Row[]>
  /** Removes at most `limit` expired entries for good. */
  sweep(limit: number): Promise<Swept>
  check(): Promise<void>
  /** Makes operations that wait for something fail now; the store is about to close. */
  abandon(): void
  /** Lets go of connections and files; no operation is under way any more. */
  close(): Promise<void>
}
