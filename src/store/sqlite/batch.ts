import { CallError } from '../../errors/index.ts'
import { notApplied } from '../front.ts'
import { isBusy, type SqliteDatabase, type SqliteSync } from './database.ts'

/** Runs write steps in transactions, all that were asked for in one turn of the event loop together. */
export interface Batch {
  /** Runs a step in the next transaction; the promise settles after the commit, a lazy one perhaps before the disk. */
  run<Result>(step: () => Result, lazy?: boolean): Promise<Result>
  /** Fails the steps that still wait for the write lock. */
  abandon(): void
}

/** What a batch can be told. */
export interface BatchOptions {
  /** Milliseconds a step may wait for the write lock. */
  readonly timeout: number
  /** What a commit waits for, unless all its steps are lazy. */
  readonly sync: SqliteSync
}

interface Job {
  /** Runs inside the transaction and answers what to do after the commit. */
  readonly attempt: () => () => void
  readonly reject: (reason: unknown) => void
  readonly since: number
  readonly lazy: boolean
}

const MAX_JOBS = 256
const RETRY = 4

/** Creates a batch: one commit for many steps is what makes a file with full durability fast. */
export function createBatch(database: SqliteDatabase, { timeout, sync }: BatchOptions): Batch {
  let waiting: Job[] = []
  let scheduled = false
  let abandoned = false
  let current = sync

  function schedule(delay = 0): void {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    if (delay === 0) setImmediate(flush)
    else setTimeout(flush, delay)
  }

  function flush(): void {
    scheduled = false
    const jobs = waiting.splice(0, MAX_JOBS)
    try {
      waitFor(jobs.every((job) => job.lazy) ? 'normal' : sync)
      database.exec('BEGIN IMMEDIATE')
    } catch (thrown) {
      postpone(jobs, thrown)
      return
    }
    commit(database, jobs)
    schedule()
  }

  /** The log is one file: a commit that waits for the disk takes along all that did not. */
  function waitFor(wanted: SqliteSync): void {
    if (wanted === current) return
    database.exec(`PRAGMA synchronous = ${wanted.toUpperCase()}`)
    current = wanted
  }

  /** Another process writes: wait without blocking the event loop, up to the time limit. */
  function postpone(jobs: readonly Job[], thrown: unknown): void {
    const oldest = performance.now() - timeout
    const patient = isBusy(thrown) && !abandoned ? jobs.filter((job) => job.since > oldest) : []
    for (const job of jobs) {
      if (!patient.includes(job)) job.reject(notApplied('sqlite', toReason(thrown), thrown))
    }
    waiting = [...patient, ...waiting]
    schedule(RETRY)
  }

  return {
    run(step, lazy = false) {
      return new Promise((resolve, reject) => {
        const attempt = (): (() => void) => {
          try {
            const result = step()
            return () => resolve(result)
          } catch (thrown) {
            // A refusal, made before anything was written: the others of the transaction go on.
            if (thrown instanceof CallError) return () => reject(thrown)
            throw thrown
          }
        }
        waiting.push({ attempt, reject, since: performance.now(), lazy })
        schedule()
      })
    },
    abandon() {
      abandoned = true
    },
  }
}

function commit(database: SqliteDatabase, jobs: readonly Job[]): void {
  const settle: (() => void)[] = []
  try {
    for (const job of jobs) settle.push(job.attempt())
    database.exec('COMMIT')
  } catch (thrown) {
    rollBack(database)
    for (const job of jobs) job.reject(thrown)
    return
  }
  for (const done of settle) done()
}

function rollBack(database: SqliteDatabase): void {
  try {
    if (database.inTransaction) database.exec('ROLLBACK')
  } catch {
    // SQLite rolls back by itself after the gravest errors; the first error is the one to report.
  }
}

function toReason(thrown: unknown): string {
  return isBusy(thrown) ? 'another process holds its write lock' : 'its file cannot be written'
}
