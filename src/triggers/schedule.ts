import type { ScheduleTrigger } from '../spec/types.ts'
import { createScheduleMemory } from './schedule-memory.ts'
import { fireTick, formatTick } from './schedule-tick.ts'
import { readScheduleTimes } from './schedule-times.ts'
import type { SourceContext, TriggerSource } from './trigger.ts'
import { pause } from './within-time.ts'

// A longer setTimeout fires at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A tick noticed later than this was missed: the machine slept, or the process was stopped. */
const MISSED_MS = 60_000
const AGAIN_MS = 5_000
const MAX_WAITING = 100

/**
 * Fires at the moments of a cron expression, once per moment however many processes share the store: the moment is the
 * id of the event, so all but the first are duplicates.
 */
export async function startSchedule(
  context: SourceContext<ScheduleTrigger>,
): Promise<TriggerSource> {
  const { trigger, clock, log } = context
  const times = readScheduleTimes(trigger)
  const memory = createScheduleMemory(context)
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let reason: string | undefined
  let waiting = 0
  let firing = Promise.resolve()

  /** A store that is away for a moment must not cost a run; one that is away until the next tick does. */
  async function fireUntilKept(tick: number): Promise<void> {
    while (!signal.aborted) {
      try {
        await fireTick({ context, memory, signal }, tick)
        reason = undefined
        return
      } catch (error) {
        reason = 'cannot store its runs, trying again'
        log.error(`schedule ${trigger.name} ${reason}`, { error, tick: formatTick(tick) })
        await pause(AGAIN_MS, signal)
        if ((times.next(tick) ?? Number.POSITIVE_INFINITY) <= clock.now()) return
      }
    }
  }

  function fire(tick: number): void {
    if (waiting >= MAX_WAITING) {
      log.warn(`schedule ${trigger.name} drops a run: ${waiting} wait already`)
      return
    }
    waiting += 1
    firing = firing.then(() => fireUntilKept(tick)).finally(() => (waiting -= 1))
  }

  function onTimer(tick: number): void {
    const now = clock.now()
    const due = Math.max(times.latest(now) ?? tick, tick)
    if (now >= due && (now - due <= MISSED_MS || trigger.catch_up === 'one')) fire(due)
    else if (now > due) {
      log.warn(`schedule ${trigger.name} missed a run`, { tick: formatTick(due) })
    }
    // Timers may fire early, and long waits are cut into pieces: then the same tick is waited for again.
    arm(now < tick ? tick - 1 : now)
  }

  function arm(after: number): void {
    const tick = signal.aborted ? undefined : times.next(after)
    if (tick === undefined) return
    const delay = Math.max(0, tick - clock.now())
    timer = setTimeout(() => onTimer(tick), Math.min(delay, LONGEST_TIMER_MS))
  }

  async function catchUp(): Promise<void> {
    const last = await memory.read()
    const due = times.latest(clock.now())
    if (due === undefined) return
    // On the very first start nothing was missed; what comes later is counted from here.
    if (last === undefined) await memory.write({ tick: due })
    else if (due > last.tick) fire(due)
  }

  if (trigger.catch_up === 'one') {
    await catchUp().catch((error: unknown) => {
      log.error(`schedule ${trigger.name} cannot tell which runs it missed`, { error })
    })
  }
  arm(clock.now())

  return {
    next: (count) => times.list(clock.now(), count),
    trouble: () => reason,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await firing
    },
  }
}
