export { type RetryExtensionOptions, retryExtension } from './retry.ts'
