export { advanceFence, holdsLock } from './lease.ts'
export { type AtomicLockExtensionOptions, atomicLockExtension } from './lock.ts'
