import type { Cron } from 'croner'
import { toReason } from '../core/text.ts'
import { parseCron } from '../spec/cron.ts'
import type { ScheduleTrigger } from '../spec/types.ts'
import { withShifts } from './schedule-shifts.ts'

/** The moments a cron expression means, in epoch milliseconds. */
export interface ScheduleTimes {
  /** The first moment after the given one; undefined when there is none. */
  readonly next: (after: number) => number | undefined
  /** The last moment that has come; undefined when there was none. */
  readonly latest: (now: number) => number | undefined
  readonly list: (after: number, count: number) => readonly number[]
}

/**
 * Reads the cron expression of a schedule: five fields, names and `@daily` in its time zone. A local time that a change
 * of clocks leaves out runs at the next valid minute, one that it repeats runs once.
 */
export function readScheduleTimes(trigger: ScheduleTrigger): ScheduleTimes {
  const cron = parse(trigger)
  const { next, isRepeated } = withShifts(cron, trigger)
  const before = (moment: number) => cron.previousRuns(1, new Date(moment))[0]?.getTime()
  return {
    next,
    latest(now) {
      // croner cuts milliseconds off and looks before the moment it is given.
      let found = before(now + 1_000)
      while (found !== undefined && (found > now || isRepeated(found))) found = before(found)
      const leftOut = found === undefined ? undefined : next(found)
      return leftOut !== undefined && leftOut <= now ? leftOut : found
    },
    list(after, count) {
      const runs: number[] = []
      for (let run = next(after); run !== undefined && runs.length < count; run = next(run)) {
        runs.push(run)
      }
      return runs
    },
  }
}

/** Lists the next moments at which a schedule fires, in epoch milliseconds. */
export function listRuns(
  trigger: ScheduleTrigger,
  after: number,
  count: number,
): readonly number[] {
  return readScheduleTimes(trigger).list(after, count)
}

function parse({ name, cron, timezone }: ScheduleTrigger): Cron {
  const parsed = parsePattern(name, cron)
  if (!timezone) return parsed
  try {
    const zoned = parseCron(cron, timezone)
    // A wrong time zone shows only when a moment is asked for.
    zoned.nextRun()
    return zoned
  } catch {
    const message = `must be an IANA time zone such as Europe/Berlin; found "${timezone}"`
    throw new TypeError(`trigger ${name}: timezone ${message}`)
  }
}

function parsePattern(name: string, cron: string): Cron {
  try {
    return parseCron(cron)
  } catch (thrown) {
    const message = `must be five fields such as "0 2 * * *"; found "${cron}": ${toReason(thrown)}`
    throw new TypeError(`trigger ${name}: cron ${message}`)
  }
}
