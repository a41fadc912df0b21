import { CallError } from '../core/error.ts'
import { storeKey } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import { readLock } from './lock-record.ts'

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
