export { addressKind } from './address-range.ts'
export {
  type CallerKey,
  copyStart,
  createCallerMemory,
  readCallerKey,
} from './caller.ts'
export { toCredentials } from './credentials.ts'
export { type CorsOptions, createGuard, type Guard, type GuardOptions } from './guard.ts'
export {
  createLocalJudge,
  isLoopbackHost,
  judgePlace,
  type LocalOptions,
  parsePublicUrl,
} from './local.ts'
export { createProxyReader, type ProxyOptions } from './proxies.ts'
export {
  createPublicFetch,
  isReachable,
  type PublicFetch,
  type PublicFetchOptions,
  type PublicRequest,
  type PublicResponse,
  type ResolvedAddress,
} from './public-address.ts'
export { isSameSecret } from './same.ts'
export {
  createWebhookSigner,
  createWebhookVerifier,
  parseWebhookKey,
  type WebhookDelivery,
  type WebhookHeaders,
  type WebhookMessage,
  type WebhookRefusal,
  type WebhookVerdict,
  type WebhookVerifierOptions,
} from './webhook-signature.ts'
