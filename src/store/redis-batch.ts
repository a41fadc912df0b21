import { notApplied } from './failure.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { RedisOperation } from './redis-scripts.ts'

/** Runs operations on one hash slot; those that come while others are under way travel together. */
export interface RedisBatch {
  run(operation: RedisOperation, key: string, args: readonly string[]): Promise<unknown>
}

/** What a batch can be told. */
export interface RedisBatchOptions {
  /** The names of the index and of the revision counter. */
  readonly keys: readonly [string, string]
  /** Milliseconds an operation may wait for its turn. */
  readonly timeout: number
}

interface Job {
  readonly key: string
  readonly args: readonly string[]
  /** When it began to wait; what is sent at once has not waited. */
  readonly since: number
  readonly resolve: (answer: unknown) => void
  readonly reject: (reason: unknown) => void
}

// Two, so that one is on its way while the server works on the other.
const MAX_UNDER_WAY = 2
const MAX_JOBS = 128
const MAX_CHARACTERS = 1024 * 1024

/** Creates a batch: one round trip and one script for many callers, none of whom waits for a timer. */
export function createRedisBatch(
  connection: RedisConnection,
  { keys, timeout }: RedisBatchOptions,
): RedisBatch {
  const waiting: Job[] = []
  let underWay = 0

  function pump(): void {
    while (underWay < MAX_UNDER_WAY && waiting.length > 0) {
      const jobs = takeJobs()
      if (jobs.length > 0) send(jobs)
    }
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
    return waiting.splice(0, count).filter((job) => job.since > oldest || expire(job))
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
        pump()
      },
      (thrown) => {
        underWay--
        for (const job of jobs) job.reject(thrown)
        pump()
      },
    )
  }

  return {
    run(operation, key, args) {
      return new Promise((resolve, reject) => {
        const atOnce = underWay < MAX_UNDER_WAY
        const since = atOnce ? Number.POSITIVE_INFINITY : performance.now()
        waiting.push({ key, args: [operation, ...args], since, resolve, reject })
        pump()
      })
    },
  }
}

/** It waited behind operations that the server did not answer: it was never sent. */
function expire(job: Job): false {
  job.reject(notApplied('redis', 'it did not answer those before'))
  return false
}
