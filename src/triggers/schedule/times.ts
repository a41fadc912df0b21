import type { Cron } from 'croner'
import { parseCron, type ScheduleTrigger } from '../../sources/tool-spec/index.ts'
import { toReason } from '../../values/index.ts'

/** The moments of a schedule in a zone whose clocks change, in epoch milliseconds. */
export interface ShiftedTimes {
  /** The first moment after the given one; undefined when there is none. */
  readonly next: (after: number) => number | undefined
  /** Tells whether a moment that croner lists is none, as clocks show its time for the second time. */
  readonly isRepeated: (moment: number) => boolean
}

const MINUTE_MS = 60_000
const NEAR_MS = 6 * 60 * MINUTE_MS
// Zones move their clocks by an hour, and one of them by half of it.
const SHIFTS_MS = [60 * MINUTE_MS, 30 * MINUTE_MS]

/**
 * Minds the changes of clocks that croner does not: whatever falls into a time that is left out runs once, at the next
 * valid minute, and what is bound to hours does not run again when one of them is repeated.
 */
export function withShifts(cron: Cron, trigger: ScheduleTrigger): ShiftedTimes {
  const offsetOf = createOffsets(trigger.timezone)
  const onWall = parseCron(trigger.cron, 'UTC')
  const isBound = !/^(?:@hourly|\S+\s+[*?])/i.test(trigger.cron.trim())

  function findListed(after: number): number | undefined {
    let found = cron.nextRun(new Date(after))?.getTime()
    while (found !== undefined && isRepeated(found)) {
      found = cron.nextRun(new Date(found))?.getTime()
    }
    return found
  }

  function isRepeated(moment: number): boolean {
    const offset = offsetOf(moment)
    return isBound && SHIFTS_MS.some((shift) => offsetOf(moment - shift) === offset + shift)
  }

  /** The moment at which clocks jumped over the wall time that comes next, if they do. */
  function findLeftOut(after: number): number | undefined {
    const own = offsetOf(after)
    const wall = onWall.nextRun(new Date(after + own))?.getTime()
    if (wall === undefined) return undefined
    const [before, later] = [offsetOf(wall - own - NEAR_MS), offsetOf(wall - own + NEAR_MS)]
    const isShown = (offset: number) => offsetOf(wall - offset) === offset
    if (later <= before || isShown(before) || isShown(later)) return undefined
    return findJump(wall - later, wall - before, later)
  }

  /** Halves the time in which the offset changes until the minute of it is found. */
  function findJump(from: number, to: number, later: number): number {
    let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetOf(middle * MINUTE_MS) === later) high = middle
      else low = middle
    }
    return high * MINUTE_MS
  }

  return {
    isRepeated,
    next(after) {
      const listed = findListed(after)
      const leftOut = findLeftOut(after)
      if (leftOut === undefined || leftOut <= after) return listed
      return listed === undefined ? leftOut : Math.min(listed, leftOut)
    },
  }
}

/** Creates what tells how far the clocks of a zone are ahead of UTC, in milliseconds. */
function createOffsets(timezone: string | undefined): (moment: number) => number {
  if (!timezone) return (moment) => -new Date(moment).getTimezoneOffset() * MINUTE_MS
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]))
    const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
    const wall = Date.UTC(
      read('year'),
      read('month') - 1,
      read('day'),
      read('hour'),
      read('minute'),
    )
    return wall - Math.floor(moment / MINUTE_MS) * MINUTE_MS
  }
}

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
