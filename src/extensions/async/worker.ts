import type { Outcome, Service } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import {
  type Job,
  type JobQueue,
  JobRetry,
  repeatWrite,
  toJobName,
  workForService,
} from '../../work/index.ts'
import { finishOperation, type KnownEnd, type OperationEndOptions } from './end.ts'
import { ASYNC_URN, hasEnded, type OperationRecord } from './record.ts'
import { type RecordEnd, runOperation } from './run.ts'
import { createOperationWatch } from './store.ts'

/** Runs the operations of one process. */
export interface OperationWorker {
  /** Begins to run operations, and gives those a job again whose job was lost; all but the first call do nothing. */
  readonly start: (service: Service) => void
  /** Resolves when the queue keeps the job of an operation of a service. */
  readonly add: (id: string, service: string) => Promise<void>
  /** Stops an operation that was cancelled, wherever it is. */
  readonly cancelled: (record: OperationRecord) => Promise<void>
  readonly close: () => Promise<void>
}

/** What a worker is made of. */
export interface OperationWorkerOptions extends OperationEndOptions {
  readonly jobs: JobQueue
  readonly concurrency: number
  readonly attempts: number
  readonly maxResultBytes: number
  readonly pollMs: number
}

const JOB = 'operation'
/** When to look again at an operation that another run has taken. */
const TAKEN_MS = 1_000

/** Creates the worker of one process. */
export function createOperationWorker(options: OperationWorkerOptions): OperationWorker {
  const { jobs, operations, concurrency, attempts, maxResultBytes, pollMs } = options
  let service: Service | undefined
  let sweeping: Promise<void> | undefined
  let closed = false
  const watch = createOperationWatch(operations, { everyMs: pollMs, log: () => service?.log })
  const add = (id: string, name: string) => jobs.add({ name: toJobName(JOB, name), id, data: null })
  /** Runs of this process that have finished, until their end is recorded: they are never run again here. */
  const ending = new Map<string, Promise<void>>()

  async function run(home: Service, job: Job): Promise<void> {
    const earlier = ending.get(job.id)
    if (earlier) return earlier
    const recordEnd = await runOperation(job, {
      service: home,
      operations,
      watch,
      urn: ASYNC_URN,
      maxResultBytes,
      progressMs: pollMs,
    })
    const ended = end(home, job.id, recordEnd).finally(() => ending.delete(job.id))
    ending.set(job.id, ended)
    await ended
  }

  /**
   * Records an end even when the lease was lost meanwhile: as long as no other run has begun, the first end counts. The
   * store may be unreachable for longer than the lease.
   */
  async function end({ log }: Service, id: string, recordEnd: RecordEnd): Promise<void> {
    const end = async () => {
      const { record, known } = await recordEnd()
      await finish(record, options, known)
    }
    await repeatWrite(end, { log, id, isStopped: () => closed })
  }

  /** An operation nobody could run has failed: its caller must hear of it. */
  async function giveUp(home: Service, job: Job, reason: unknown): Promise<void> {
    const run = `given-up-${job.attempt}`
    await operations.change({ id: job.id }, (record) =>
      hasEnded(record) ? undefined : { ...record, status: 'processing', run },
    )
    const at = home.clock.now()
    const record = await operations.end(job.id, { run }, { outcome: toGivenUp(job, reason), at })
    await finish(record, options)
  }

  /** Adding a job that is there changes nothing, so that only those are added that were lost. */
  async function sweep({ log, name }: Service): Promise<void> {
    let cursor: string | undefined
    let found = 0
    try {
      do {
        const page = await operations.listOpen(cursor)
        for (const { id, service: owner } of page.open) {
          if (closed || (owner !== undefined && owner !== name)) continue
          // One of an earlier release may have its job under the bare name, and runs once only there.
          await (owner === undefined ? jobs.add({ name: JOB, id, data: null }) : add(id, name))
        }
        found += page.open.length
        cursor = page.cursor
      } while (cursor !== undefined && !closed)
    } catch (error) {
      if (!closed)
        log.warn('operations of an earlier run could not be looked for', { error, found })
    }
  }

  return {
    add,
    start(home) {
      if (service !== undefined) return
      service = home
      workForService(jobs, { label: JOB, service: home.name }, (job) => run(home, job), {
        concurrency,
        attempts,
        onGivenUp: (job, reason) => giveUp(home, job, reason),
      })
      sweeping = sweep(home)
    },
    async cancelled(record) {
      watch.cancel(record.id)
      await finishOperation(record, options)
      const names = service ? [toJobName(JOB, service.name), JOB] : [JOB]
      for (const name of names) await jobs.remove(name, record.id)
    },
    async close() {
      closed = true
      await sweeping
      await watch.stop()
    },
  }
}

/**
 * A job ends with its operation and not before. A process that was taken for dead may begin a run late, take the
 * operation from the run that has the job, and die: then nothing but this job is left of the operation.
 */
async function finish(
  record: OperationRecord | undefined,
  options: OperationEndOptions,
  known?: KnownEnd,
): Promise<void> {
  if (record === undefined) return
  if (!hasEnded(record)) throw new JobRetry(TAKEN_MS, 'Another run has taken the operation')
  await finishOperation(record, options, known)
}

function toGivenUp({ attempt }: Job, reason: unknown): Outcome {
  const error =
    reason instanceof CallError
      ? reason
      : new CallError('INTERNAL_ERROR', { message: `Given up after ${attempt} runs` })
  return { ok: false, errors: error.errors }
}
