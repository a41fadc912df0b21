import { randomUUID } from 'node:crypto'
import { CallError } from '../../errors/index.ts'
import { type Entry, type Store, storeKey } from '../../store/index.ts'
import type { Json } from '../../values/index.ts'
import { type HoldOptions, holdEntry, type KeepAlive } from '../../work/index.ts'

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
  keep(events: Pick<HoldOptions, 'onRenewed' | 'onLost' | 'maxMs' | 'clock'>): KeepAlive
  release(): Promise<'deleted' | 'absent' | 'foreign'>
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
    const held = { key, value, revision: swap.revision, owner: holder, leaseMs: ttlMs }
    return {
      acquired: true,
      lease: {
        token,
        keep: (events) => holdEntry(store, { ...held, ...events }),
        release: () => store.deleteIfOwner(key, holder),
      },
    }
  } catch (thrown) {
    void store.deleteIfOwner(key, holder).catch(() => {})
    throw thrown
  }
}

/** Those who wait in this process for a lock, so that a release next door is noticed at once. */
export interface LockQueue {
  readonly wait: (fullKey: string, ms: number, signal: AbortSignal) => Promise<void>
  /** Wakes the one that waits longest. */
  readonly wake: (fullKey: string) => void
}

/** How long a wait may take. */
export interface WaitOptions {
  readonly fullKey: string
  readonly queue: LockQueue
  /** Aborts when the time is up or the caller has left. */
  readonly signal: AbortSignal
}

const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 250

/** Tries again and again to take a lock until the signal aborts; the pauses grow and differ, so that waiters spread. */
export async function waitForLock(
  attempt: () => Promise<Acquisition>,
  { fullKey, queue, signal }: WaitOptions,
): Promise<Acquisition> {
  let pause = FIRST_PAUSE_MS
  let last = await attempt()
  while (!last.acquired && !signal.aborted) {
    const jittered = pause * (0.5 + Math.random())
    await queue.wait(fullKey, Math.min(jittered, last.heldForMs + 1), signal)
    if (signal.aborted) break
    last = await attempt()
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
  return last
}

/** Creates an empty queue. */
export function createLockQueue(): LockQueue {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wait(fullKey, ms, signal) {
      return new Promise((resolve) => {
        const others = waiting.get(fullKey) ?? new Set()
        waiting.set(fullKey, others)
        const finish = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', finish)
          others.delete(finish)
          if (others.size === 0) waiting.delete(fullKey)
          resolve()
        }
        const timer = setTimeout(finish, ms)
        signal.addEventListener('abort', finish, { once: true })
        others.add(finish)
        if (signal.aborted) finish()
      })
    },
    wake(fullKey) {
      const [first] = waiting.get(fullKey) ?? []
      first?.()
    },
  }
}

/** Tells whether a lock is held with this fencing token right now. */
export async function holdsLock(store: Store, fullKey: string, token: number): Promise<boolean> {
  return (await readLock(store, fullKey))?.token === token
}

/**
 * Lets a write with this token through and refuses every older one from then on: for resources that cannot compare tokens
 * themselves. Throws CONFLICT when a newer token was here before.
 */
export async function advanceFence(store: Store, resource: string, token: number): Promise<void> {
  const key = storeKey('fence', resource)
  const first = await store.putIfAbsent(key, token, { ttl: null })
  if (first.created) return
  let { entry } = first
  while (typeof entry.value !== 'number' || entry.value < token) {
    const swap = await store.compareAndSet(key, token, { revision: entry.revision, ttl: null })
    if (swap.swapped) return
    if (swap.entry === undefined) return advanceFence(store, resource, token)
    entry = swap.entry
  }
  if (entry.value > token) {
    throw new CallError('CONFLICT', {
      message: 'The lock was lost: a newer holder has written already',
      details: { resource, token, newest: entry.value },
    })
  }
}
