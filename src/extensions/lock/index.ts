export { advanceFence, holdsLock, type LockScope, toFullKey } from './lease.ts'
export { type AtomicLockExtensionOptions, atomicLockExtension } from './lock.ts'
