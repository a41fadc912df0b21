import type { Logger } from '../core/index.ts'
import type { Store } from '../store/index.ts'
import type { Clock } from '../values/index.ts'
import { createBullmqQueue } from './bullmq/bullmq.ts'
import { createInProcessQueue } from './in-process.ts'
import type { JobQueue } from './queue.ts'

/** What every job queue can be told, whatever runs it. */
export interface CreateJobQueueOptions {
  /** Milliseconds after which the job of a process that died is run by another; 30,000 when absent. */
  readonly leaseMs?: number
  /** Milliseconds that a server is waited for; 5,000 when absent. */
  readonly timeout?: number
  /** Loads an optional package; `import` when absent. */
  readonly load?: ((name: string) => Promise<unknown>) | undefined
  readonly clock?: Clock
  readonly log?: Logger | undefined
}

/** Creates the job queue that fits a store; nothing connects before the first `add` or `work`. */
export function createJobQueue(store: Store, options: CreateJobQueueOptions = {}): JobQueue {
  const { kind, origin } = store
  // A store made from a client has no address to connect to; its jobs are kept as entries, which works everywhere.
  return origin && (kind === 'redis' || kind === 'postgres')
    ? createBullmqQueue(kind, origin, options)
    : createInProcessQueue(store, options)
}
