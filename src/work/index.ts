export {
  holdEntry,
  type KeepAlive,
  type RepeatOptions,
  repeatWrite,
  startKeepAlive,
} from './lease.ts'
export { createLedger, type Ledger, type LedgerEntry, toStoredJson } from './ledger/ledger.ts'
export { type CreateJobQueueOptions, createJobQueue } from './open.ts'
export {
  type Job,
  type JobQueue,
  type NewJob,
  toJobName,
  type WorkOptions,
  workForService,
} from './queue.ts'
export { JobPutBack } from './run-job.ts'
