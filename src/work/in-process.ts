import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../core/index.ts'
import { notApplied, type Store, storeKey } from '../store/index.ts'
import { type Clock, openScope, systemClock, toReason, unref } from '../values/index.ts'
import { type Claim, createJobRecords, type JobPlace, type JobRecords } from './job-records.ts'
import { allEnded, createPresence, type Presence, type Sign } from './lease.ts'
import { assertName, type JobQueue, requireJob, toWorkPlan } from './queue.ts'
import { type RunJobOptions, runJob } from './run-job.ts'

/** Runs the jobs of one name. */
interface InProcessWorker {
  /** A job was added here. */
  added(place: JobPlace, isDelayed: boolean): void
  readonly isIdle: () => boolean
  /** Tells whether the newest look for jobs failed. */
  readonly isStuck: () => boolean
  close(graceMs: number): Promise<void>
}

interface InProcessWorkerOptions extends RunJobOptions {
  readonly records: JobRecords
  readonly presence: Presence
  /** How long jobs of other processes may go unnoticed. */
  readonly pollMs: number
  readonly clock: Clock
}

interface Running {
  readonly claim: Claim
  readonly ended: Promise<void>
}

/** How long a run may take to notice that it must end. */
const LAST_MOMENT_MS = 1000
const SETTLE_AGAIN_MS = 250

/** Starts to run jobs from the records, as many at a time as the plan says. */
function startWorker(options: InProcessWorkerOptions): InProcessWorker {
  const { records, presence, plan, pollMs, clock } = options
  const running = new Map<string, Running>()
  const closing = new AbortController()
  // Every run listens to it: many are no leak.
  setMaxListeners(0, closing.signal)
  const passedOn = createPassedOn(clock)
  const looks = createLooks(fill, options, () => lookAnew())
  const waiting = createWaiting(options, looks.lookIn)

  function lookAnew(): void {
    waiting.readAnew()
    looks.wake()
  }

  const isFull = () => looks.isClosed() || running.size >= plan.concurrency

  async function fill(): Promise<void> {
    while (!isFull()) {
      const place = await waiting.next()
      if (place === undefined) return
      await take(place)
    }
  }

  async function take(place: JobPlace): Promise<void> {
    const isPassedOn = passedOn.has(place.id)
    if (running.has(place.key) || (isPassedOn && records.isReady(place))) return
    const sign = await presence.enter()
    // One of our own that nobody runs: that it was claimed was told as a failure.
    if (place.by !== null && place.by !== sign.token) {
      if ((await presence.isAlive(place.by)) || !(await records.isLeft(place))) return
    }
    const claim = await records.claim(place, sign.token, isPassedOn ? 0 : 1)
    if (claim === undefined) return
    // Whoever it is left to may have a clock that is behind: for them its time has come as well.
    if (isPassedOn) await handBack(claim, place.attempt)
    else start(claim, sign)
  }

  function start(claim: Claim, sign: Sign): void {
    const ended = runToEnd(claim, sign).finally(() => {
      running.delete(claim.key)
      looks.wake()
    })
    running.set(claim.key, { claim, ended })
  }

  async function runToEnd(claim: Claim, { lost }: Sign): Promise<void> {
    const { id, data, attempt } = claim
    const { signal, close } = openScope([lost, closing.signal])
    const verdict = await runJob({ id, data, attempt, signal }, options).finally(close)
    await settle(lost, options, async () => {
      if (verdict.over) await records.finish(claim)
      else if (closing.signal.aborted) await handBack(claim)
      else {
        const { delayMs, untried } = verdict
        if (untried) passedOn.add(id, delayMs * 2 + pollMs)
        await records.putBack(claim, { delayMs, attempt: untried ? attempt - 1 : attempt })
        lookAnew()
      }
    })
  }

  // A run that was cut off by us is not an attempt of the job's own.
  const handBack = (claim: Claim, attempt = claim.attempt - 1) =>
    records.putBack(claim, { delayMs: 0, attempt })

  looks.wake()
  return {
    isIdle: () => running.size === 0 && looks.isIdle(),
    isStuck: looks.isStuck,
    added(place, isDelayed) {
      waiting.add(place, isDelayed)
      looks.wake()
    },
    async close(graceMs) {
      await looks.close()
      await allEnded(running, graceMs)
      closing.abort(new Error('The queue is closing'))
      await allEnded(running, LAST_MOMENT_MS)
      for (const { claim } of running.values()) await handBack(claim).catch(() => {})
    },
  }
}

/** Looks for jobs, once at a time: when somebody says that there may be some, and when a time has passed. */
function createLooks(
  fill: () => Promise<void>,
  { name, pollMs, log }: InProcessWorkerOptions,
  onTime: () => void,
) {
  let closed = false
  let looking: Promise<void> | undefined
  let again = false
  let stuck = false
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    again = true
    looking ??= look().finally(() => {
      looking = undefined
      if (again && !closed) wake()
    })
  }

  async function look(): Promise<void> {
    while (again && !closed) {
      again = false
      try {
        await fill()
        stuck = false
      } catch (thrown) {
        stuck = true
        lookIn(pollMs)
        log?.warn('Jobs cannot be looked for', { job: name, reason: toReason(thrown) })
      }
    }
  }

  function lookIn(waitMs: number): void {
    clearTimeout(timer)
    if (!closed) timer = unref(setTimeout(onTime, waitMs))
  }

  return {
    wake,
    lookIn,
    isIdle: () => looking === undefined,
    isStuck: () => stuck,
    isClosed: () => closed,
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await looking
    },
  }
}

/** Walks through the jobs that may run, in order; what others add is found when the list is read anew. */
function createWaiting(
  { name, records, pollMs }: InProcessWorkerOptions,
  lookIn: (waitMs: number) => void,
) {
  let places: JobPlace[] = []
  /** Where the list goes on: from its beginning, after a cursor, or not at all before somebody adds to it. */
  let unread: 'all' | { readonly cursor: string } | undefined = 'all'

  async function read(from: NonNullable<typeof unread>): Promise<void> {
    unread = undefined
    try {
      const due = from === 'all' ? await records.listDue(name) : undefined
      if (due) lookIn(Math.min(due.nextMs ?? pollMs, pollMs))
      const page = await records.list(name, from === 'all' ? undefined : from.cursor)
      places.push(...(due?.places ?? []), ...page.places)
      if (page.cursor !== undefined) unread ??= { cursor: page.cursor }
    } catch (thrown) {
      unread = 'all'
      throw thrown
    }
  }

  function readAnew(): void {
    places = []
    unread = 'all'
  }

  return {
    readAnew,
    add(place: JobPlace, isDelayed: boolean): void {
      if (isDelayed || place.priority < (places[0]?.priority ?? 0)) readAnew()
      // With nothing before it, it need not be looked for.
      else if (places.length === 0 && unread === undefined) places.push(place)
      else unread ??= 'all'
    },
    async next(): Promise<JobPlace | undefined> {
      while (places.length === 0 && unread) await read(unread)
      return places.shift()
    },
  }
}

/** Remembers jobs that were put back here: the process that delays a job comes first to it, and others must get it. */
function createPassedOn(clock: Clock) {
  const until = new Map<string, number>()
  return {
    add: (id: string, forMs: number) => void until.set(id, clock.elapsed() + forMs),
    has(id: string): boolean {
      const left = (until.get(id) ?? 0) - clock.elapsed()
      if (left <= 0) until.delete(id)
      return left > 0
    },
  }
}

// As long as the process counts as living nobody else runs the job, so that there is time to write down how it ended.
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
      await pause(SETTLE_AGAIN_MS, undefined, { ref: false })
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
  const records = createJobRecords(store, clock)
  const workers = new Map<string, InProcessWorker>()
  let closed: Promise<void> | undefined
  const presence = createPresence(store, {
    keyOf: (token) => storeKey('job-process', token),
    leaseMs,
    clock,
    isIdle: () => [...workers.values()].every((worker) => worker.isIdle()),
  })

  function assertOpen(): void {
    if (closed) throw notApplied(store.kind, 'the job queue is closed')
  }

  async function closeAll(graceMs: number): Promise<void> {
    await Promise.all([...workers.values()].map((worker) => worker.close(graceMs)))
    await presence.leave()
  }

  return {
    kind: 'in-process',
    async add(job) {
      assertOpen()
      const checked = requireJob(job)
      const place = await records.add(checked)
      if (place) workers.get(job.name)?.added(place, checked.delayMs > 0)
    },
    work(name, run, workOptions) {
      assertOpen()
      assertName(name)
      if (workers.has(name)) throw new TypeError(`There is a worker for "${name}" already`)
      const plan = toWorkPlan(workOptions)
      workers.set(name, startWorker({ name, records, presence, plan, run, pollMs, clock, log }))
    },
    async remove(name, id) {
      assertOpen()
      assertName(name)
      const place = await records.find(name, id)
      if (place === undefined || (place.by !== null && (await presence.isAlive(place.by)))) {
        return false
      }
      const claim = await records.claim(place, (await presence.enter()).token, 0)
      return claim !== undefined && records.finish(claim)
    },
    async look() {
      const lags = await Promise.all([...workers.keys()].map((name) => records.lagMs(name)))
      const stuck = [...workers].filter(([, worker]) => worker.isStuck())
      return { lagMs: Math.max(0, ...lags), stuck: stuck.map(([name]) => name) }
    },
    async close(graceMs = 10_000) {
      closed ??= closeAll(graceMs)
      await closed
    },
  }
}
