export { type RetryExtensionOptions, type RetryStrategy, retryExtension } from './retry.ts'
