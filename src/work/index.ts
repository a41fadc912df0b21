export { type KeepAlive, startKeepAlive } from './lease.ts'
export { type CreateJobQueueOptions, createJobQueue } from './open.ts'
export type { Job, JobQueue, NewJob, WorkOptions } from './queue.ts'
