import { isRecord } from '../core/json.ts'
import { storeKey } from '../store/keys.ts'
import type { SourceContext } from './trigger.ts'

/** What is known of the last tick of a schedule, in every process that shares the store. */
export interface LastTick {
  /** Epoch milliseconds. */
  readonly tick: number
  /** The delivery it led to; absent when it led to none. */
  readonly delivery?: string
}

/** Remembers the last tick of a schedule. */
export interface ScheduleMemory {
  readonly read: () => Promise<LastTick | undefined>
  readonly write: (last: LastTick) => Promise<void>
}

/** Opens the memory of a schedule. */
export function createScheduleMemory({
  store,
  service,
  trigger,
}: Pick<SourceContext, 'store' | 'service' | 'trigger'>): ScheduleMemory {
  const key = storeKey('trigger', service, 'schedule', trigger.name)
  return {
    async read() {
      const entry = await store.get(key)
      const { tick, delivery } = isRecord(entry?.value) ? entry.value : {}
      if (typeof tick !== 'number') return undefined
      return { tick, ...(typeof delivery === 'string' && { delivery }) }
    },
    async write(last) {
      await store.put(key, { ...last }, { ttl: null })
    },
  }
}
