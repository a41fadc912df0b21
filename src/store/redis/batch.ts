import { notApplied } from '../front.ts'
import type { RedisConnection } from './connection.ts'
import type { RedisOperation } from './scripts.ts'

/** Runs operations on one hash slot; those that come while others are under way travel together. */
export interface RedisBatch {
  /** `args` are what the script reads: the operation, the store key, and what belongs to it. */
  run(key: string, args: OperationArguments): Promise<unknown>
}

/** The arguments of one operation as the script reads them. */
export type OperationArguments = readonly [operation: RedisOperation, key: string, ...string[]]

/** What a batch can be told. */
export interface RedisBatchOptions {
  /** The names of the index and of the revision counter. */
  readonly keys: readonly [string, string]
  /** Milliseconds an operation may wait for its turn. */
  readonly timeout: number
}

interface Job {
  readonly key: string
  readonly args: OperationArguments
  /** When it began to wait; what is sent in this turn has not waited. */
  readonly since: number
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

// So many go at once: the server works on them while this process is still busy with the callers behind them.
const FULL = 16
const MAX_FULL_UNDER_WAY = 8
// Fewer go when one is on its way while the server works on the other: the longer they wait, the more travel together.
const MAX_UNDER_WAY = 2
const MAX_JOBS = 128
const MAX_CHARACTERS = 1024 * 1024

/** Creates a batch: one round trip and one script for many callers, none of whom waits for a timer. */
export function createRedisBatch(
  connection: RedisConnection,
  { keys, timeout }: RedisBatchOptions,
): RedisBatch {
  let waiting: Job[] = []
  let underWay = 0
  let scheduled = false

  /**
   * An answer lets many callers go on, each with its next operation: sent at the end of the turn, these travel together,
   * where the first alone would take the place of them all.
   */
  function schedule(): void {
    if (waiting.length >= FULL) pump()
    else if (!scheduled && underWay < MAX_UNDER_WAY) {
      scheduled = true
      process.nextTick(pumpLast)
    }
  }

  function pumpLast(): void {
    scheduled = false
    pump()
  }

  function pump(): void {
    while (waiting.length > 0 && mayGo(waiting.length)) {
      const jobs = takeJobs()
      if (jobs.length > 0) send(jobs)
    }
  }

  function mayGo(count: number): boolean {
    return underWay < (count < FULL ? MAX_UNDER_WAY : MAX_FULL_UNDER_WAY)
  }

  function takeJobs(): readonly Job[] {
    const oldest = performance.now() - timeout
    let characters = 0
    let count = 0
    for (const { args } of waiting) {
      if (count === MAX_JOBS || (count > 0 && characters > MAX_CHARACTERS)) break
      for (const arg of args) characters += arg.length
      count++
    }
    const jobs = waiting
    waiting = jobs.length === count ? [] : jobs.splice(count)
    return jobs.filter((job) => job.since > oldest || expire(job))
  }

  function send(jobs: readonly Job[]): void {
    underWay++
    const names: string[] = [...keys]
    const args: string[] = []
    for (const job of jobs) {
      names.push(job.key)
      args.push(...job.args)
    }
    const reading = jobs.every((job) => job.args[0] === 'get')
    const answering = reading
      ? connection.run('readMany', names.slice(keys.length), [])
      : connection.run('operate', names, args)
    answering.then(
      (answers) => {
        underWay--
        for (let at = 0; at < jobs.length; at++) {
          jobs[at]?.resolve(Array.isArray(answers) && answers[at])
        }
        if (waiting.length > 0) schedule()
      },
      (thrown) => {
        underWay--
        for (const job of jobs) job.reject(thrown)
        if (waiting.length > 0) schedule()
      },
    )
  }

  return {
    run(key, args) {
      return new Promise((resolve, reject) => {
        const atOnce = underWay < MAX_UNDER_WAY
        const since = atOnce ? Number.POSITIVE_INFINITY : performance.now()
        waiting.push({ key, args, since, resolve, reject })
        schedule()
      })
    },
  }
}

/** It waited behind operations that the server did not answer: it was never sent. */
function expire(job: Job): false {
  job.reject(notApplied('redis', 'it did not answer those before'))
  return false
}
