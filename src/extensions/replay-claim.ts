import { randomUUID } from 'node:crypto'
import type { Store } from '../store/store.ts'
import { type KeepAlive, startKeepAlive } from './keep-alive.ts'
import { REPLAY_KEYS } from './replay-record.ts'

/** A replay that this process, and no other, runs. */
export interface ReplayClaim {
  release(): Promise<void>
}

/** How long a replay outlives the process that ran it before another takes it up. */
const LEASE_MS = 30_000

/** Claims a replay; undefined when it is claimed already. */
export async function claimReplay(store: Store, id: string): Promise<ReplayClaim | undefined> {
  const key = REPLAY_KEYS.claim(id)
  const owner = randomUUID()
  const put = await store.putIfAbsent(key, null, { ttl: LEASE_MS, owner })
  if (!put.created) return undefined
  let { revision } = put
  const lease: KeepAlive = startKeepAlive(LEASE_MS / 3, async () => {
    try {
      const swap = await store.compareAndSet(key, null, { revision, ttl: LEASE_MS })
      if (swap.swapped) revision = swap.revision
      return swap.swapped
    } catch {
      return true
    }
  })
  return {
    async release() {
      await lease.stop()
      await store.deleteIfOwner(key, owner)
    },
  }
}
