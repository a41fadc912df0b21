export type { QuotaPeriod, QuotaPolicy, QuotaType, QuotaUse } from './policy.ts'
export { type QuotaExtensionOptions, quotaExtension } from './quota.ts'
