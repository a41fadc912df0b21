export type { Door, DoorRequest, DoorResponse } from './door.ts'
export { type Exchange, isWorthKeeping, replayExchange } from './exchange.ts'
export { type Finding, VERIFY_RULES, type VerifyRule, type VerifySeverity } from './finding.ts'
export {
  assertVerified,
  toDoor,
  type VerifyOptions,
  type VerifyReport,
  verifyService,
} from './verify.ts'
