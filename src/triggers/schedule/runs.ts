import { findJitterProblem, type ScheduleTrigger } from '../../sources/tool-spec/index.ts'
import { sleep, toMilliseconds } from '../../values/index.ts'
import type { SourceContext } from '../trigger.ts'
import { pauseUntil } from '../turns.ts'
import type { LastTick, ScheduleMemory } from './schedule.ts'
import type { ScheduleTimes } from './times.ts'

const LOOK_MS = 1_000
// How far the clocks of processes that share a store may be apart.
const SKEW_MS = 60_000

/** What firing one tick needs. */
export interface TickOptions {
  readonly context: SourceContext<ScheduleTrigger>
  readonly memory: ScheduleMemory
  /** Aborts when the schedule stops. */
  readonly signal: AbortSignal
}

/** Fires one tick unless it was fired elsewhere, or the run before is not over; rejects when it cannot be stored. */
export async function fireTick(options: TickOptions, tick: number): Promise<void> {
  const { context, memory } = options
  const { trigger, log } = context
  const last = await memory.read()
  if (last !== undefined && last.tick >= tick && !isAhead(last, context)) return
  const id = formatTick(tick)
  if (last?.delivery !== undefined && (await isInTheWay(options, last.delivery))) {
    log.warn(`schedule ${trigger.name} skips a run: the previous still runs`, {
      tick: id,
    })
    return memory.write({ ...last, tick })
  }
  const { delivery } = await context.accept({
    id: `${trigger.name}@${id}`,
    payload: {},
    meta: { scheduled_at: id },
  })
  await memory.write({ tick, delivery })
}

/** Writes a tick as the text that names it in every process. */
export function formatTick(tick: number): string {
  return new Date(tick).toISOString()
}

/** Was written under a clock far ahead: it says nothing about ticks before it, whose ids still tell copies. */
function isAhead({ tick }: LastTick, { clock }: TickOptions['context']): boolean {
  return tick > clock.now() + SKEW_MS
}

async function isInTheWay({ context, signal }: TickOptions, delivery: string): Promise<boolean> {
  const { trigger, isOpen } = context
  if (trigger.overlap === 'allow') return false
  let open = await isOpen(delivery)
  while (open && trigger.overlap === 'queue' && !signal.aborted) {
    await sleep(LOOK_MS, signal)
    open = await isOpen(delivery)
  }
  return open
}

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
        await sleep(AGAIN_MS, signal)
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
      log.warn(`schedule ${trigger.name} drops a run: ${waiting} are waiting already`)
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
