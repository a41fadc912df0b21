import type { Logger } from '../core/index.ts'
import { toReason } from '../values/index.ts'
import type { Job, WorkPlan } from './queue.ts'

/** What becomes of a job after a run: it is over, or it runs again later. */
export type JobVerdict =
  | { readonly over: true }
  | {
      readonly over: false
      readonly delayMs: number
      readonly reason: unknown
      /** Absent when the run counts as an attempt. */
      readonly untried?: true
    }

/** Thrown by a run that cannot be made here or now: the job waits again, and this was not an attempt. */
export class JobPutBack extends Error {
  readonly delayMs: number
  constructor(delayMs: number, message: string) {
    super(message)
    this.name = 'JobPutBack'
    this.delayMs = delayMs
  }
}

/** Thrown by a run that has failed and knows when another is worth it; without it the plan of the worker says when. */
export class JobRetry extends JobPutBack {}

/** What a run needs besides its job. */
export interface RunJobOptions {
  readonly name: string
  readonly plan: WorkPlan
  readonly run: (job: Job) => Promise<void>
  readonly log?: Logger | undefined
}

const OVER: JobVerdict = { over: true }

/** Runs a job once, or gives it up when it has had all its attempts; never throws. */
export async function runJob(job: Job, options: RunJobOptions): Promise<JobVerdict> {
  const { plan, run } = options
  // A job that ends its process each time comes back without ever having thrown.
  let reason: unknown = new Error('Each run of the job was cut off')
  if (job.attempt <= plan.attempts) {
    try {
      await run(job)
      return OVER
    } catch (thrown) {
      if (thrown instanceof JobPutBack && !(thrown instanceof JobRetry)) {
        return { over: false, delayMs: thrown.delayMs, reason: thrown, untried: true }
      }
      reason = thrown
    }
    if (job.attempt < plan.attempts || job.signal.aborted) return repeat(job, plan, reason)
  }
  return giveUp(job, reason, options)
}

async function giveUp(job: Job, reason: unknown, options: RunJobOptions): Promise<JobVerdict> {
  const { name, plan, log } = options
  const { attempt } = job
  try {
    await plan.onGivenUp(job, reason)
    log?.warn('A job is given up', { job: name, attempt, reason: toReason(reason) })
    return OVER
  } catch (thrown) {
    log?.error('Nobody could be told of a job that is given up', {
      job: name,
      attempt,
      reason: toReason(thrown),
    })
    // Whoever should have been told may be back later; not for ever, though.
    return attempt < plan.attempts * 2 ? repeat(job, plan, reason) : OVER
  }
}

function repeat({ attempt }: Job, plan: WorkPlan, reason: unknown): JobVerdict {
  const delayMs = reason instanceof JobRetry ? reason.delayMs : plan.backoffMs(attempt)
  return { over: false, delayMs, reason }
}
