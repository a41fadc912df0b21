import { toMilliseconds } from '../core/duration.ts'
import { parseCron } from './cron.ts'
import type { ScheduleTrigger } from './types.ts'

const LONGEST_MS = 86_400_000
// A fixed beginning, so that a file is right or wrong whatever the day; a leap year has every date.
const BEGINNING = new Date('2024-01-01T00:00:00Z')
const RUNS = 100

/** Says what is wrong with the jitter of a schedule whose cron expression parses; undefined when nothing is. */
export function findJitterProblem(trigger: ScheduleTrigger): string | undefined {
  if (trigger.jitter === undefined) return undefined
  const jitterMs = toMilliseconds(trigger.jitter)
  if (!jitterMs || jitterMs > LONGEST_MS) {
    return "must be a duration of up to a day, such as { value: 30, unit: 'second' }"
  }
  const shortestMs = findShortestGap(trigger)
  if (jitterMs < shortestMs) return undefined
  return `must be shorter than the shortest time between two runs, ${shortestMs / 1000} s`
}

/** A cron expression has no period; a hundred runs show the gaps of all but far-fetched ones. */
function findShortestGap({ cron, timezone }: ScheduleTrigger): number {
  const runs = parseCron(cron, timezone)
    .nextRuns(RUNS, BEGINNING)
    .map((run) => run.getTime())
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run))
  return Math.min(...gaps)
}
