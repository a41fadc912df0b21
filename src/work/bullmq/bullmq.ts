import { createHash } from 'node:crypto'
import type { Logger } from '../../core/index.ts'
import { notApplied, type StoreOrigin } from '../../store/index.ts'
import { type Clock, systemClock } from '../../values/index.ts'
import { assertName, type JobQueue, requireJob, toWorkPlan } from '../queue.ts'
import {
  type BullmqBackend,
  type BullmqBackendOptions,
  type BullmqQueue,
  openPostgresBackend,
  openRedisBackend,
} from './backend.ts'
import { type BullmqRunner, startBullmqRunner } from './worker.ts'

/** What a BullMQ queue can be told. */
export interface BullmqQueueOptions extends BullmqBackendOptions {
  /** Milliseconds that a process keeps its jobs without a sign of life; 30,000 when absent. */
  readonly leaseMs?: number
  readonly clock?: Clock
  readonly log?: Logger | undefined
}

const BACKENDS = { redis: openRedisBackend, postgres: openPostgresBackend } as const

const JOB_OPTIONS = {
  // An id may come again when its job is over, so nothing of it may stay.
  removeOnComplete: true,
  removeOnFail: true,
  // The worker counts the attempts: only it knows how many there are.
  attempts: 1_000_000,
  backoff: { type: 'custom' },
  stackTraceLimit: 1,
} as const

/** Creates a queue on BullMQ, which keeps its jobs on Redis or PostgreSQL. */
export function createBullmqQueue(
  kind: 'redis' | 'postgres',
  origin: StoreOrigin,
  options: BullmqQueueOptions = {},
): JobQueue {
  const { leaseMs = 30_000, clock = systemClock, log } = options
  const queues = new Map<string, Promise<BullmqQueue>>()
  const runners = new Map<string, BullmqRunner>()
  let backend: Promise<BullmqBackend> | undefined
  let closed: Promise<void> | undefined

  function open(): Promise<BullmqBackend> {
    if (closed) throw notApplied(kind, 'the job queue is closed')
    backend ??= BACKENDS[kind](origin, options)
    return backend
  }

  async function openQueue(name: string): Promise<BullmqQueue> {
    const known = queues.get(name)
    if (known) return known
    const opening = open().then((opened) => opened.openQueue(name))
    queues.set(name, opening)
    opening.catch(() => queues.delete(name))
    return opening
  }

  async function readLag(name: string): Promise<number> {
    const queue = await openQueue(name)
    const { send } = await open()
    const oldest = await send(() =>
      Promise.all(WAITS.map((state) => queue.getJobs([state], 0, 0, true))),
    )
    return Math.max(
      0,
      ...oldest.flat().map((job) => (job ? clock.now() - job.timestamp - (job.delay ?? 0) : 0)),
    )
  }

  async function closeAll(graceMs: number): Promise<void> {
    await Promise.all([...runners.values()].map((runner) => runner.close(graceMs)))
    const opened = await Promise.allSettled(queues.values())
    await Promise.allSettled(
      opened.map(async (queue) => queue.status === 'fulfilled' && queue.value.close()),
    )
    await (await backend)?.close()
  }

  return {
    kind: 'bullmq',
    async add(job) {
      const { name, id, data, delayMs: delay, priority } = requireJob(job)
      const queue = await openQueue(name)
      const { send } = await open()
      // As text inside: PostgreSQL cannot hold every character that JSON can.
      const text = JSON.stringify([id, data])
      await send(() =>
        queue.add(name, text, { ...JOB_OPTIONS, jobId: toJobId(id), delay, priority }),
      )
    },
    work(name, run, workOptions) {
      assertName(name)
      if (closed) throw notApplied(kind, 'the job queue is closed')
      if (runners.has(name)) throw new TypeError(`There is a worker for "${name}" already`)
      const plan = toWorkPlan(workOptions)
      runners.set(name, startBullmqRunner({ name, open, plan, run, leaseMs, clock, log }))
    },
    async remove(name, id) {
      assertName(name)
      const queue = await openQueue(name)
      const { send } = await open()
      const jobId = toJobId(id)
      return send(async () => {
        // It calls a job removed that is not there, such as one that has just ended its run.
        if (!WAITS.includes(await queue.getJobState(jobId))) return false
        return (await queue.remove(jobId)) === 1
      })
    },
    async look() {
      const lags = await Promise.all([...runners.keys()].map(async (name) => readLag(name)))
      const stuck = [...runners].filter(([, runner]) => runner.isStuck())
      return { lagMs: Math.max(0, ...lags), stuck: stuck.map(([name]) => name) }
    },
    async close(graceMs = 10_000) {
      closed ??= closeAll(graceMs)
      await closed
    },
  }
}

const WAITS = ['waiting', 'prioritized', 'delayed', 'paused']

/** BullMQ takes neither colons nor bare numbers; as JSON, because UTF-8 would make all lone surrogates one. */
function toJobId(id: string): string {
  return `j${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`
}
