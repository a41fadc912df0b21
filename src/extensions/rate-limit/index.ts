export {
  type Identify,
  identifyCaller,
  LIMIT_SCOPES,
  type LimitScope,
  type RateLimitPolicy,
} from './policy.ts'
export { type RateLimitExtensionOptions, rateLimitExtension } from './rate-limit.ts'
