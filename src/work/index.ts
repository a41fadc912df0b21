export {
  createPresence,
  type HoldOptions,
  holdEntry,
  type KeepAlive,
  type Presence,
  type RepeatOptions,
  repeatWrite,
  startKeepAlive,
  withinTime,
} from './lease.ts'
export {
  createLedger,
  type Ledger,
  type LedgerEntry,
  toStoredJson,
  type Whose,
} from './ledger/ledger.ts'
export { type CreateJobQueueOptions, createJobQueue } from './open.ts'
export {
  type Job,
  type JobQueue,
  type NewJob,
  type QueueLook,
  toJobName,
  type WorkOptions,
  workForService,
} from './queue.ts'
export { JobPutBack, JobRetry } from './run-job.ts'
