// Check that a service does what it advertises.
export {
  assertVerified,
  type Door,
  type DoorRequest,
  type DoorResponse,
  type Exchange,
  type Finding,
  replayExchange,
  VERIFY_RULES,
  type VerifyOptions,
  type VerifyReport,
  type VerifyRule,
  type VerifySeverity,
  verifyService,
} from '../change/verify/index.ts'
