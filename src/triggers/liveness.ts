import { randomUUID } from 'node:crypto'
import { storeKey } from '../store/keys.ts'
import type { Store } from '../store/store.ts'

/** Knows which processes live, so that what a dead one was doing can be taken over soon. */
export interface Liveness {
  /** Names this process. */
  readonly id: string
  readonly isAlive: (id: string) => Promise<boolean>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

const TTL_MS = 10_000
const BEAT_MS = 3_000

/** Creates the sign of life of this process. */
export function createLiveness(store: Store, service: string): Liveness {
  const id = randomUUID()
  const keyOf = (process: string) => storeKey('trigger', service, 'process', process)
  const beat = () => store.put(keyOf(id), 1, { ttl: TTL_MS })
  let timer: NodeJS.Timeout | undefined
  return {
    id,
    isAlive: async (process) => process === id || (await store.get(keyOf(process))) !== undefined,
    async start() {
      // A store that is away at the start does not keep triggers from starting: others only take over too early.
      await beat().catch(() => undefined)
      timer ??= setInterval(() => void beat().catch(() => undefined), BEAT_MS)
      timer.unref()
    },
    async stop() {
      clearInterval(timer)
      await store.delete(keyOf(id)).catch(() => undefined)
    },
  }
}
