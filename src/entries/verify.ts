// Check that a service does what it advertises.
export {
  assertVerified,
  type Door,
  type DoorRequest,
  type DoorResponse,
  type Exchange,
  type Finding,
  RULES,
  type Rule,
  replayExchange,
  type Severity,
  type VerifyOptions,
  type VerifyReport,
  verifyService,
} from '../change/verify/index.ts'
