export { type IdempotencyExtensionOptions, idempotencyExtension } from './idempotency.ts'
export {
  forgetStoredOutcome,
  isFinalFailure,
  type KeyScope,
  replaceStoredOutcome,
  toRecordKey,
  toStoredOutcome,
} from './record.ts'
