export { type Exchange, replayExchange } from './exchange.ts'
export { type Finding, RULES, type Rule, type Severity } from './finding.ts'
export { assertVerified, type VerifyOptions, type VerifyReport, verifyService } from './verify.ts'
