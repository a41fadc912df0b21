import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/service.ts'
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../extensions/outgoing.ts'
import { createJobQueue } from '../jobs/open.ts'
import type { JobQueue } from '../jobs/queue.ts'
import type { Store } from '../store/store.ts'

/** Where callbacks may go and how they are signed. */
export type CallbackOptions = Pick<
  OutgoingOptions,
  'secret' | 'allowHosts' | 'allowLoopback' | 'delaysMs'
>

/** What a service with a store has for work that outlives a call. */
export interface Background {
  readonly jobs: JobQueue
  readonly outgoing: Outgoing
  /** Begins to send what an earlier process left to be sent. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** Creates the job queue of a service and the sender of its callbacks; nothing runs before it starts or is used. */
export function createBackground(options: {
  readonly store: Store
  /** Its owner closes it; made for the store, and closed with the service, when absent. */
  readonly jobs: JobQueue | undefined
  readonly callbacks: CallbackOptions | undefined
  readonly clock: Clock
  readonly log: Logger
}): Background {
  const { store, callbacks, clock, log } = options
  const jobs = options.jobs ?? createJobQueue(store, { clock, log })
  const outgoing = createOutgoing({ ...callbacks, jobs, clock, log })
  return {
    jobs,
    outgoing,
    start: outgoing.start,
    async close() {
      if (options.jobs === undefined) await jobs.close()
    },
  }
}
