import type { ScheduleTrigger } from '../../sources/tool-spec/index.ts'
import { storeKey } from '../../store/index.ts'
import { isRecord } from '../../values/index.ts'
import type { SourceContext, TriggerSource } from '../trigger.ts'
import { LONGEST_NAP_MS } from '../turns.ts'
import { createScheduleRuns, readJitter } from './runs.ts'
import { readScheduleTimes } from './times.ts'

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

/**
 * Fires at the moments of a cron expression, once per moment however many processes share the store: the moment is the
 * id of the event, so all but the first are duplicates.
 */
export async function startSchedule(
  context: SourceContext<ScheduleTrigger>,
): Promise<TriggerSource> {
  const { trigger, clock, log } = context
  const times = readScheduleTimes(trigger)
  const jitterMs = readJitter(trigger)
  const memory = createScheduleMemory(context)
  const stopping = new AbortController()
  const { signal } = stopping
  const runs = createScheduleRuns({ context, memory, signal }, { times, jitterMs })
  let timer: NodeJS.Timeout | undefined

  function arm(after: number): void {
    const tick = signal.aborted ? undefined : times.next(after)
    if (tick !== undefined) wait(tick)
  }

  function wait(tick: number): void {
    const since = clock.now()
    const delay = Math.min(Math.max(0, tick - since), LONGEST_NAP_MS)
    timer = setTimeout(() => {
      const now = clock.now()
      if (now >= tick) runs.fireInTime(Math.max(times.latest(now) ?? tick, tick))
      // A clock that was put back may have another tick before this one.
      if (since <= now && now < tick) wait(tick)
      else arm(now)
    }, delay)
  }

  async function catchUp(): Promise<void> {
    const last = await memory.read()
    const due = times.latest(clock.now())
    if (due === undefined) return
    // On the very first start nothing was missed; what comes later is counted from here.
    if (last === undefined) return memory.write({ tick: due })
    const isWanted = trigger.catch_up === 'one' || clock.now() < due + jitterMs
    if (due > last.tick && isWanted) runs.fire(due)
  }

  // A run that waited for its moment when its process ended is not missed: the next process takes it.
  if (trigger.catch_up === 'one' || jitterMs > 0) {
    await catchUp().catch((error: unknown) => {
      log.error(`schedule ${trigger.name} cannot tell which runs it missed`, { error })
    })
  }
  arm(clock.now())

  return {
    next: (count) => times.list(clock.now(), count),
    trouble: runs.trouble,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await runs.finish()
    },
  }
}
