import type { Json } from '../core/json.ts'

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
 * wants another at a time of its own choosing adds a job under another id before it ends.
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
  /** Takes no more jobs, lets running ones finish within the grace, hands the rest back. */
  close(graceMs?: number): Promise<void>
}
