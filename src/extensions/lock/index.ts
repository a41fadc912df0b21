export { advanceFence, holdsLock, toFullKey } from './lease.ts'
export { type AtomicLockExtensionOptions, atomicLockExtension } from './lock.ts'
