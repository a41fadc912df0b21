import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../core/index.ts'
import { type Clock, type Json, openScope, toReason, toText } from '../../values/index.ts'
import { allEnded, withinTime } from '../lease.ts'
import type { Job, WorkPlan } from '../queue.ts'
import { runJob } from '../run-job.ts'
import type { BullmqBackend, BullmqJob, BullmqWorker } from './backend.ts'

/** Runs the jobs of one name. */
export interface BullmqRunner {
  /** Tells whether jobs cannot be taken, or could not a moment ago. */
  readonly isStuck: () => boolean
  close(graceMs: number): Promise<void>
}

/** What a runner needs. */
export interface BullmqRunnerOptions {
  readonly name: string
  readonly open: () => Promise<BullmqBackend>
  readonly plan: WorkPlan
  readonly run: (job: Job) => Promise<void>
  readonly leaseMs: number
  readonly clock: Clock
  readonly log: Logger | undefined
}

interface Running {
  readonly job: BullmqJob
  readonly token: string | undefined
  readonly abort: AbortController
  readonly ended: Promise<unknown>
  /** When its lock was last known to be ours. */
  heldAt: number
}

const OPEN_AGAIN_MS = 1000
/** BullMQ tells of a server that is away every few seconds, and not of its return. */
const TROUBLE_MS = 10_000
/** How long a run may take to notice that it must end, and the server to take jobs back. */
const LAST_MOMENT_MS = 1000

/** Starts to run jobs as soon as the server is there, as many at a time as the plan says. */
export function startBullmqRunner(options: BullmqRunnerOptions): BullmqRunner {
  const { name, open, leaseMs, clock, log } = options
  const running = new Map<string, Running>()
  const closing = new AbortController()
  // Every run listens to it: many are no leak.
  setMaxListeners(0, closing.signal)
  let closed = false
  let worker: BullmqWorker | undefined
  let troubledAt = Number.NEGATIVE_INFINITY

  async function start(): Promise<void> {
    while (!closed && !worker) {
      try {
        const backend = await open()
        const opened = await backend.openWorker(name, take, toWorkerOptions(options))
        listen(opened)
        worker = opened
      } catch (thrown) {
        if (thrown instanceof TypeError) throw thrown
        log?.warn('Jobs cannot be taken', { job: name, reason: toReason(thrown) })
        await sleep(OPEN_AGAIN_MS, undefined, { ref: false })
      }
    }
  }

  function listen(opened: BullmqWorker): void {
    opened.on('error', (error) => {
      troubledAt = clock.elapsed()
      log?.warn('The job queue has trouble', { job: name, reason: error.message })
    })
    opened.on('locksRenewed', ({ jobIds }) => {
      for (const id of jobIds) {
        const one = running.get(id)
        if (one) one.heldAt = clock.elapsed()
      }
    })
    opened.on('lockRenewalFailed', (ids) => {
      for (const id of ids) lose(running.get(id))
    })
  }

  function lose(one: Running | undefined): void {
    one?.abort.abort(new Error('The job may have been given to another process'))
  }

  // BullMQ does not say when a server that is away has let a lock run out.
  const watch = setInterval(() => {
    for (const one of running.values()) if (clock.elapsed() - one.heldAt > leaseMs) lose(one)
  }, leaseMs / 6).unref()

  async function take(job: BullmqJob, token?: string): Promise<void> {
    // A job that was on its way when the queue began to close.
    if (closed) return handBack(job, token)
    const key = job.id ?? ''
    const abort = new AbortController()
    const scope = openScope([abort.signal, closing.signal])
    const ended = runOne(job, scope.signal).finally(scope.close)
    running.set(key, { job, token, abort, ended, heldAt: clock.elapsed() })
    try {
      const verdict = await ended
      if (verdict.over) return
      if (closing.signal.aborted) return await handBack(job, token)
      if (verdict.untried) return await handBack(job, token, verdict.delayMs)
      throw Object.assign(new Error(toReason(verdict.reason)), { delayMs: verdict.delayMs })
    } finally {
      running.delete(key)
    }
  }

  function runOne({ data, attemptsMade, stalledCounter }: BullmqJob, signal: AbortSignal) {
    const [id, value] = JSON.parse(toText(data)) as [string, Json]
    const attempt = attemptsMade + stalledCounter + 1
    return runJob({ id, data: value, attempt, signal }, options)
  }

  const started = start().catch((thrown: unknown) => {
    log?.error('Jobs are not run', { job: name, reason: toReason(thrown) })
  })

  return {
    isStuck: () => worker === undefined || clock.elapsed() - troubledAt < TROUBLE_MS,
    async close(graceMs) {
      closed = true
      await withinTime(started, LAST_MOMENT_MS).catch(() => {})
      await worker?.pause(true).catch(() => {})
      await allEnded(running, graceMs)
      closing.abort(new Error('The queue is closing'))
      await allEnded(running, LAST_MOMENT_MS)
      const rest = [...running.values()].map(({ job, token }) => job.moveToWait(token))
      await withinTime(Promise.allSettled(rest), LAST_MOMENT_MS).catch(() => {})
      clearInterval(watch)
      if (worker)
        await withinTime(worker.close(running.size > 0), 5 * LAST_MOMENT_MS).catch(() => {})
    },
  }
}

function toWorkerOptions({
  plan,
  leaseMs,
}: BullmqRunnerOptions): Readonly<Record<string, unknown>> {
  return {
    concurrency: plan.concurrency,
    lockDuration: Math.ceil(leaseMs),
    // A lock that ran out is seen by the first look after it and believed by the second.
    stalledInterval: Math.ceil(leaseMs / 6),
    // We count the attempts ourselves, those that ended with their process too.
    maxStalledCount: 1_000_000,
    runRetryDelay: 1000,
    settings: {
      backoffStrategy: (_attempts: number, _type?: string, error?: { delayMs?: number }) =>
        error?.delayMs ?? 1000,
    },
  }
}

/** Gives a job back without counting the attempt; the error tells BullMQ that it need not do anything more. */
async function handBack(job: BullmqJob, token: string | undefined, delayMs = 0): Promise<never> {
  // By the clock of this process, as BullMQ counts every delay.
  if (delayMs > 0) await job.moveToDelayed(Date.now() + delayMs, token)
  else await job.moveToWait(token)
  const name = delayMs > 0 ? 'DelayedError' : 'WaitingError'
  throw Object.assign(new Error('The job was handed back'), { name })
}
