import { type Clock, systemClock } from '../core/clock.ts'
import type { Logger } from '../core/service.ts'
import { notApplied } from '../store/failure.ts'
import type { Store } from '../store/store.ts'
import { type InProcessWorker, startInProcessWorker } from './in-process-worker.ts'
import { createJobRecords } from './job-records.ts'
import { assertName, requireJob } from './limits.ts'
import type { JobQueue } from './queue.ts'
import { toWorkPlan } from './work-plan.ts'

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
