import { createHash } from 'node:crypto'
import { refuseArgument } from '../store/index.ts'
import type { Json } from '../values/index.ts'

/** A piece of work that outlives the call that asked for it. */
export interface NewJob {
  /** Which worker runs it: letters, digits and dashes. */
  readonly name: string
  /** Any text. While a job of this name and id waits or runs, adding it again changes nothing. */
  readonly id: string
  readonly data: Json
  /** Milliseconds to wait before it may run; none when absent. */
  readonly delayMs?: number
  /** 1 runs first, 10 last; 5 when absent. */
  readonly priority?: number
}

/** A job in the hands of a worker. */
export interface Job {
  readonly id: string
  readonly data: Json
  /** Counts from 1; more when a run failed or its process died. */
  readonly attempt: number
  /** Aborts when the job was given to somebody else, or the queue closes and its grace is over. */
  readonly signal: AbortSignal
}

/** How jobs of one name are run. */
export interface WorkOptions {
  /** Jobs that run at the same time in this process; 10 when absent. */
  readonly concurrency?: number
  /** How often a job is run that throws; 10 when absent. */
  readonly attempts?: number
  /** Milliseconds before the run after the given attempt; 1 s, doubled up to a minute, when absent. */
  readonly backoffMs?: (attempt: number) => number
  /** Told of a job that is given up after its last attempt. */
  readonly onGivenUp?: (job: Job, reason: unknown) => Promise<void>
}

/**
 * A queue of jobs: each runs at least once, in one process at a time, on whichever process works on its name. A run
 * that ends normally finishes its job; one that throws, or whose process died, is followed by another. A run that
 * wants another at a time of its own choosing adds a job under another id before it ends; one that cannot be made here
 * throws a `JobPutBack`, which does not count as an attempt.
 */
export interface JobQueue {
  /** `in-process` or `bullmq`. */
  readonly kind: string
  /** Resolves when the job is kept as safely as the backend keeps anything. */
  add(job: NewJob): Promise<void>
  /** Begins to run the jobs of a name; one worker per name and queue. */
  work(name: string, run: (job: Job) => Promise<void>, options?: WorkOptions): void
  /** Takes a job out that waits, for its first run or for another; tells whether there was one. A running one stays. */
  remove(name: string, id: string): Promise<boolean>
  /** Looks at the jobs of the names it works on, for the health of the service. */
  readonly look?: () => Promise<QueueLook>
  /** Takes no more jobs, lets running ones finish within the grace, hands the rest back. */
  close(graceMs?: number): Promise<void>
}

/** How a queue does. */
export interface QueueLook {
  /** How long the oldest job that may run has waited, in milliseconds; 0 when none does. */
  readonly lagMs: number
  /** Names whose jobs cannot be taken just now. */
  readonly stuck: readonly string[]
}

/** How jobs of one name are run, with everything said that may be left out. */
export type WorkPlan = Required<WorkOptions>

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

/** The most bytes an id may have. */
const MAX_ID_BYTES = 64 * 1024

/** The most bytes the data of a job may have as JSON text: what every store can hold beside the id. */
const MAX_DATA_BYTES = 768 * 1024

/** The longest delay: ten years of 365 days. */
const MAX_DELAY_MS = 10 * 365 * 24 * 3_600_000

const NAME = /^[A-Za-z0-9-]{1,64}$/

/** Checks a new job and fills in what it leaves out. */
export function requireJob(job: NewJob): Required<NewJob> {
  const { name, id, data, delayMs = 0, priority = 5 } = job
  assertName(name)
  if (typeof id !== 'string' || id === '') refuseArgument('id', 'must be a non-empty string')
  if (Buffer.byteLength(id) > MAX_ID_BYTES)
    refuseArgument('id', `has more than ${MAX_ID_BYTES} bytes`)
  if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
    refuseArgument('delayMs', `must be a number of milliseconds from 0 to ${MAX_DELAY_MS}`)
  }
  if (!Number.isInteger(priority) || priority < 1 || priority > 10) {
    refuseArgument('priority', 'must be a whole number from 1 to 10')
  }
  assertSize(data)
  return { name, id, data, delayMs: Math.ceil(delayMs), priority }
}

/** Refuses a name that some backend cannot use for a queue. */
export function assertName(name: string): void {
  if (!NAME.test(name)) refuseArgument('name', 'must be 1 to 64 letters, digits and dashes')
}

/** Names the jobs of one service: two services on one server never take one another's. */
export function toJobName(label: string, service: string, what: string = label): string {
  const hash = createHash('sha256').update(`${service}/${what}`).digest('hex').slice(0, 8)
  return `${label}-${hash}`
}

/**
 * Works on the jobs of a service, and on those that an earlier release added under the bare name. A job of somebody
 * else among them is put back by its run.
 */
export function workForService(
  jobs: JobQueue,
  names: { readonly label: string; readonly service: string },
  run: (job: Job) => Promise<void>,
  options?: WorkOptions,
): void {
  for (const name of [toJobName(names.label, names.service), names.label]) {
    jobs.work(name, run, options)
  }
}

function assertSize(data: Json): void {
  const text = JSON.stringify(data) ?? refuseArgument('data', 'must be a JSON value')
  if (text.length * 3 <= MAX_DATA_BYTES) return
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_DATA_BYTES)
    refuseArgument('data', `has ${bytes} bytes; at most ${MAX_DATA_BYTES} fit`)
}
