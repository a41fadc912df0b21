import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../core/index.ts'
import { notApplied, type Store } from '../store/index.ts'
import { type Clock, openScope, systemClock, toReason, unref } from '../values/index.ts'
import { type Claim, createJobRecords, type JobRecords } from './job-records.ts'
import { type HeldLease, holdLease } from './lease.ts'
import {
  assertName,
  type Job,
  type JobQueue,
  requireJob,
  toWorkPlan,
  type WorkPlan,
} from './queue.ts'
import { runJob } from './run-job.ts'

/** Runs the jobs of one name. */
export interface InProcessWorker {
  /** Looks for jobs at once. */
  wake(): void
  close(graceMs: number): Promise<void>
}

/** What a worker needs. */
export interface InProcessWorkerOptions {
  readonly name: string
  readonly records: JobRecords
  readonly plan: WorkPlan
  readonly run: (job: Job) => Promise<void>
  readonly leaseMs: number
  /** How long jobs of other processes may go unnoticed. */
  readonly pollMs: number
  readonly clock: Clock
  readonly log: Logger | undefined
}

interface Running {
  readonly claim: Claim
  readonly lease: HeldLease
  readonly ended: Promise<void>
}

/** How long a run may take to notice that it must end. */
const LAST_MOMENT_MS = 1000
const SETTLE_AGAIN_MS = 250

/** Starts to run jobs from the records, as many at a time as the plan says. */
export function startInProcessWorker(options: InProcessWorkerOptions): InProcessWorker {
  const { name, records, plan, leaseMs, pollMs, clock, log } = options
  const running = new Map<string, Running>()
  const closing = new AbortController()
  // Every run listens to it: many are no leak.
  setMaxListeners(0, closing.signal)
  const passedOn = createPassedOn(clock)
  let closed = false
  let looking: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    again = true
    looking ??= look().finally(() => {
      looking = undefined
      if (again && !closed) wake()
    })
  }

  async function look(): Promise<void> {
    let waitMs = pollMs
    clearTimeout(timer)
    while (again && !closed) {
      again = false
      try {
        waitMs = Math.min((await records.promote(name)) ?? pollMs, pollMs)
        await fill()
      } catch (thrown) {
        waitMs = pollMs
        log?.warn('Jobs cannot be looked for', { job: name, reason: toReason(thrown) })
      }
    }
    if (!closed) timer = unref(setTimeout(wake, waitMs))
  }

  const isFull = () => closed || running.size >= plan.concurrency

  async function fill(): Promise<void> {
    let cursor: string | undefined
    do {
      if (isFull()) return
      const page = await records.list(name, cursor)
      for (const waiting of page.waiting) {
        if (isFull()) return
        if (running.has(waiting.slot) || passedOn.has(waiting.hash)) continue
        const claim = await records.claim(name, waiting)
        if (claim) start(claim)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  function start(claim: Claim): void {
    const lease = holdLease({ leaseMs, clock, renew: () => records.renew(claim) })
    const ended = runToEnd(claim, lease).finally(() => {
      lease.letGo()
      running.delete(claim.slot)
      wake()
    })
    running.set(claim.slot, { claim, lease, ended })
  }

  async function runToEnd(claim: Claim, { lost }: HeldLease): Promise<void> {
    const { id, data, attempt } = claim
    const { signal, close } = openScope([lost, closing.signal])
    const verdict = await runJob({ id, data, attempt, signal }, options).finally(close)
    await settle(lost, options, async () => {
      if (verdict.over) await records.finish(claim)
      else if (closing.signal.aborted) await handBack(claim)
      else {
        const { delayMs, untried } = verdict
        if (untried) passedOn.add(claim.hash, delayMs * 2 + pollMs)
        await records.putBack(claim, { delayMs, attempt: untried ? attempt - 1 : attempt })
      }
    })
  }

  // A run that was cut off by us is not an attempt of the job's own.
  const handBack = (claim: Claim) =>
    records.putBack(claim, { delayMs: 0, attempt: claim.attempt - 1 })

  wake()
  return {
    wake,
    async close(graceMs) {
      closed = true
      clearTimeout(timer)
      await looking
      await allEnded(running, graceMs)
      closing.abort(new Error('The queue is closing'))
      await allEnded(running, LAST_MOMENT_MS)
      for (const { claim, lease } of running.values()) {
        lease.letGo()
        await handBack(claim).catch(() => {})
      }
    },
  }
}

/** Remembers jobs that were put back here: the process that delays a job comes first to it, and others must get it. */
function createPassedOn(clock: Clock) {
  const until = new Map<string, number>()
  return {
    add: (hash: string, forMs: number) => void until.set(hash, clock.elapsed() + forMs),
    has(hash: string): boolean {
      const left = (until.get(hash) ?? 0) - clock.elapsed()
      if (left <= 0) until.delete(hash)
      return left > 0
    },
  }
}

async function allEnded(running: ReadonlyMap<string, Running>, withinMs: number): Promise<void> {
  if (running.size === 0 || withinMs <= 0) return
  const over = new AbortController()
  const late = sleep(withinMs, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([late, Promise.all([...running.values()].map(({ ended }) => ended))])
  over.abort()
}

// As long as the lease holds nobody else runs the job, so that there is time to write down how it ended.
async function settle(
  lost: AbortSignal,
  { name, log }: InProcessWorkerOptions,
  write: () => Promise<void>,
): Promise<void> {
  while (!lost.aborted) {
    try {
      return await write()
    } catch (thrown) {
      log?.warn('The end of a job cannot be kept', { job: name, reason: toReason(thrown) })
      await sleep(SETTLE_AGAIN_MS, undefined, { ref: false })
    }
  }
}

/** What a queue in the store can be told. */
export interface InProcessQueueOptions {
  /** Milliseconds after which the job of a process that died is run by another; 30,000 when absent. */
  readonly leaseMs?: number
  /** Milliseconds that a job added by another process may go unnoticed; 1,000 when absent. */
  readonly pollMs?: number
  readonly clock?: Clock
  readonly log?: Logger | undefined
}

/** Creates a queue that keeps its jobs in a store and runs them in this process, beside others on the same store. */
export function createInProcessQueue(store: Store, options: InProcessQueueOptions = {}): JobQueue {
  const { leaseMs = 30_000, pollMs = 1000, clock = systemClock, log } = options
  const records = createJobRecords(store, { clock, leaseMs })
  const workers = new Map<string, InProcessWorker>()
  let closed: Promise<unknown> | undefined

  function assertOpen(): void {
    if (closed) throw notApplied(store.kind, 'the job queue is closed')
  }

  return {
    kind: 'in-process',
    async add(job) {
      assertOpen()
      await records.add(requireJob(job))
      workers.get(job.name)?.wake()
    },
    work(name, run, workOptions) {
      assertOpen()
      assertName(name)
      if (workers.has(name)) throw new TypeError(`There is a worker for "${name}" already`)
      const plan = toWorkPlan(workOptions)
      const worker = { name, records, plan, run, leaseMs, pollMs, clock, log }
      workers.set(name, startInProcessWorker(worker))
    },
    async remove(name, id) {
      assertOpen()
      assertName(name)
      const claim = await records.find(name, id)
      return claim !== undefined && records.finish(claim)
    },
    async close(graceMs = 10_000) {
      closed ??= Promise.all([...workers.values()].map((worker) => worker.close(graceMs)))
      await closed
    },
  }
}
