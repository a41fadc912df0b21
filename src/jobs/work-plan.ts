import type { Job, WorkOptions } from './queue.ts'

/** How jobs of one name are run, with everything said that may be left out. */
export interface WorkPlan {
  readonly concurrency: number
  readonly attempts: number
  readonly backoffMs: (attempt: number) => number
  readonly onGivenUp: (job: Job, reason: unknown) => Promise<void>
}

const MAX_BACKOFF_MS = 60_000

/** Fills in what was left out; a mistake is a TypeError that names the option. */
export function toWorkPlan(options: WorkOptions = {}): WorkPlan {
  const { concurrency = 10, attempts = 10, backoffMs = doubled, onGivenUp = ignore } = options
  assertCount('concurrency', concurrency)
  assertCount('attempts', attempts)
  return {
    concurrency,
    attempts,
    backoffMs: (attempt) => Math.max(0, Math.ceil(backoffMs(attempt)) || 0),
    onGivenUp,
  }
}

function assertCount(field: string, count: number): void {
  if (Number.isInteger(count) && count >= 1) return
  throw new TypeError(`The option "${field}" of a worker must be a whole number of at least 1`)
}

function doubled(attempt: number): number {
  return Math.min(1000 * 2 ** (attempt - 1), MAX_BACKOFF_MS)
}

async function ignore(): Promise<void> {}
