export { type QuotaExtensionOptions, quotaExtension } from './quota.ts'
