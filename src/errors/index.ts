export { CODES, type Code, type CodeRow, resolveCode } from './codes.ts'
export {
  assertChallenge,
  CallError,
  type CallErrorOptions,
  type CallErrorShape,
  challengeHeaders,
  DEFAULT_CHALLENGE,
  DEFAULT_RETRY_AFTER,
  type ErrorSource,
  formatRetryAfter,
} from './error.ts'
