import { toMilliseconds } from '../core/duration.ts'
import { findJitterProblem } from '../spec/jitter.ts'
import type { ScheduleTrigger } from '../spec/types.ts'
import { fireTick, formatTick, type TickOptions } from './schedule-tick.ts'
import type { ScheduleTimes } from './schedule-times.ts'
import { pause, pauseUntil } from './within-time.ts'

/** A tick noticed later than this was missed: the machine slept, or the process was stopped. */
const MISSED_MS = 60_000
const AGAIN_MS = 5_000
const MAX_WAITING = 100

/** Fires the ticks of a schedule one after another. */
export interface ScheduleRuns {
  /** Fires a tick that has come, at a random moment within the jitter. */
  readonly fire: (tick: number) => void
  /** Fires a tick that has come, unless it is noticed too late. */
  readonly fireInTime: (tick: number) => void
  /** Why runs are not fired at present. */
  readonly trouble: () => string | undefined
  /** Resolves when nothing waits any more. */
  readonly finish: () => Promise<void>
}

/** When the ticks of a schedule come, and how late they may fire. */
export interface ScheduleClock {
  readonly times: ScheduleTimes
  readonly jitterMs: number
}

/** Creates what fires the ticks of a schedule. */
export function createScheduleRuns(
  options: TickOptions,
  { times, jitterMs }: ScheduleClock,
): ScheduleRuns {
  const { context, signal } = options
  const { trigger, clock, log } = context
  let reason: string | undefined
  let waiting = 0
  let firing = Promise.resolve()

  /** A store that is away for a moment must not cost a run; one that is away until the next tick does. */
  async function fireUntilKept(tick: number): Promise<void> {
    while (!signal.aborted) {
      try {
        await fireTick(options, tick)
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

  async function fireAt(moment: number, tick: number): Promise<void> {
    if (moment > clock.now()) {
      await pauseUntil(moment, clock, signal)
      if (isMissed(moment, tick)) return
    }
    await fireUntilKept(tick)
  }

  function isMissed(moment: number, tick: number): boolean {
    if (trigger.catch_up === 'one' || clock.now() - moment <= MISSED_MS) return false
    log.warn(`schedule ${trigger.name} missed a run`, { tick: formatTick(tick) })
    return true
  }

  function fire(tick: number): void {
    if (waiting >= MAX_WAITING) {
      log.warn(`schedule ${trigger.name} drops a run: ${waiting} wait already`)
      return
    }
    waiting += 1
    const moment = tick + Math.random() * jitterMs
    firing = firing.then(() => fireAt(moment, tick)).finally(() => (waiting -= 1))
  }

  return {
    fire,
    fireInTime: (tick) => {
      if (!isMissed(tick, tick)) fire(tick)
    },
    trouble: () => reason,
    finish: () => firing,
  }
}

/** Reads the jitter of a schedule in milliseconds, 0 when it has none; throws a TypeError when it is too long. */
export function readJitter(trigger: ScheduleTrigger): number {
  const problem = findJitterProblem(trigger)
  if (problem !== undefined) throw new TypeError(`trigger ${trigger.name}: jitter ${problem}`)
  return toMilliseconds(trigger.jitter ?? {}) ?? 0
}
