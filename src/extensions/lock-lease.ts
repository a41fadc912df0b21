import { randomUUID } from 'node:crypto'
import type { Store } from '../store/store.ts'
import { startKeepAlive } from './keep-alive.ts'
import { type LockRecord, toLockKey, toStoredLock } from './lock-record.ts'

/** What is wanted of a lock. */
export interface LockRequest {
  readonly fullKey: string
  readonly owner: string
  /** Who takes it, as `toOwner` writes a principal. */
  readonly principal: string
  readonly ttlMs: number
  /** Epoch milliseconds, for people who look at the lock. */
  readonly now: number
}

/** A lock that this process holds. */
export interface LockLease {
  readonly token: number
  /** Prolongs the lock while a function runs; `onLost` is told when it is ours no longer, `onRenewed` when it is. */
  keep(events: LeaseEvents): { stop(): Promise<void> }
  release(): Promise<'deleted' | 'absent' | 'foreign'>
}

/** What a lease tells while it is kept. */
export interface LeaseEvents {
  readonly onRenewed: () => void
  readonly onLost: () => void
  /** Milliseconds for which the lock is prolonged at all. */
  readonly maxMs: number
  readonly elapsed: () => number
}

/** A lock, or how long its holder may still have it. */
export type Acquisition =
  | { readonly acquired: true; readonly lease: LockLease }
  | { readonly acquired: false; readonly heldForMs: number }

/**
 * Tries once to take a lock. The number is drawn while the lock is held and written into it, in this order: a number drawn
 * before could be lower than that of a holder in between, one not written back could belong to a lock that was lost.
 */
export async function acquireLock(store: Store, request: LockRequest): Promise<Acquisition> {
  const { fullKey, owner, principal, ttlMs, now } = request
  const key = toLockKey(fullKey)
  if (key === undefined) throw new TypeError(`not the full key of a lock: ${fullKey}`)
  const record: LockRecord = { owner, principal, acquired: now }
  // Callers may repeat their owner token, so the entry belongs to the acquisition, not to them.
  const holder = randomUUID()
  const put = await store.putIfAbsent(key, toStoredLock(record), { ttl: ttlMs, owner: holder })
  if (!put.created) return { acquired: false, heldForMs: put.entry.ttl ?? ttlMs }
  try {
    const token = await store.next(fullKey)
    const value = toStoredLock({ ...record, token })
    const swap = await store.compareAndSet(key, value, { revision: put.revision, ttl: ttlMs })
    if (!swap.swapped) return { acquired: false, heldForMs: swap.entry?.ttl ?? 0 }
    const held = { store, key, holder, ttlMs, value, revision: swap.revision }
    return { acquired: true, lease: { token, ...toLease(held) } }
  } catch (thrown) {
    void store.deleteIfOwner(key, holder).catch(() => {})
    throw thrown
  }
}

interface Held {
  readonly store: Store
  readonly key: string
  readonly holder: string
  readonly ttlMs: number
  readonly value: ReturnType<typeof toStoredLock>
  readonly revision: number
}

function toLease({ store, key, holder, ttlMs, value, ...held }: Held): Omit<LockLease, 'token'> {
  let { revision } = held
  return {
    keep({ onRenewed, onLost, maxMs, elapsed }) {
      const start = elapsed()
      let sure = start
      const lose = () => {
        onLost()
        return false
      }
      const renew = async (): Promise<boolean> => {
        const asked = elapsed()
        if (asked - start > maxMs) return asked - sure < ttlMs || lose()
        try {
          const swap = await store.compareAndSet(key, value, { revision, ttl: ttlMs })
          if (!swap.swapped) return lose()
          revision = swap.revision
          sure = asked
          onRenewed()
          return true
        } catch {
          // The store is away: the lock is ours until its time is up, and no longer.
          return elapsed() - sure < ttlMs || lose()
        }
      }
      return startKeepAlive(ttlMs / 3, renew)
    },
    release: () => store.deleteIfOwner(key, holder),
  }
}
