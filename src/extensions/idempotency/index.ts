export { type IdempotencyExtensionOptions, idempotencyExtension } from './idempotency.ts'
export {
  isFinalFailure,
  type KeyScope,
  type LaterOutcomes,
  openLaterOutcomes,
  toKeyId,
  toRecordKey,
  toStoredOutcome,
} from './record.ts'
