export { type Identify, identifyCaller, LIMIT_SCOPES, type LimitScope } from './policy.ts'
export { type RateLimitExtensionOptions, rateLimitExtension } from './rate-limit.ts'
