import type { Json } from '../core/json.ts'
import type { Entry, Store } from '../store/store.ts'

/** Which calls a lock keeps apart: those of one function, or all that name the same key. */
export type LockScope = 'function' | 'global'

/** What is kept about a lock that is held. */
export interface LockRecord {
  /** The token that the holder shows to release the lock; the caller may choose it, and `status` shows it to everybody. */
  readonly owner: string
  /** The principal that took the lock, as `toOwner` writes it; absent in locks of versions that did not keep it. */
  readonly principal?: string
  /** Epoch milliseconds. */
  readonly acquired: number
  /** Absent for the moment between taking the lock and numbering it. */
  readonly token?: number
}

/** Gives the full key of a lock, as the lock functions name it. */
export function toFullKey(lock: {
  readonly function: string
  readonly key: string
  readonly scope?: LockScope
}): string {
  return lock.scope === 'global'
    ? `forrst_lock:${lock.key}`
    : `forrst_lock:${lock.function}:${lock.key}`
}

// What cannot be the full key of a lock is never looked up: it could not be stored either.
const FULL_KEY = /^forrst_lock:[\x21-\x7e]{1,500}$/

/** Gives where the store keeps a lock; undefined when no lock can have this full key. */
export function toLockKey(fullKey: string): string | undefined {
  return FULL_KEY.test(fullKey) ? `lock:${fullKey}` : undefined
}

/** Reads what the store keeps about a lock. */
export function toLockRecord({ value }: Entry): LockRecord {
  return value as unknown as LockRecord
}

/** Writes a lock as the JSON that a store keeps. */
export function toStoredLock(record: LockRecord): Json {
  return record as unknown as Json
}

/** Finds the holder of a lock; undefined when nobody holds it. */
export async function readLock(
  store: Store,
  fullKey: string,
): Promise<(LockRecord & { readonly entry: Entry }) | undefined> {
  const key = toLockKey(fullKey)
  const entry = key === undefined ? undefined : await store.get(key)
  return entry && { ...toLockRecord(entry), entry }
}
