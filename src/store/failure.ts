import { CallError } from '../core/error.ts'

/** Says that a store cannot be used and that the operation surely did nothing, so that it may be repeated. */
export function notApplied(
  kind: string,
  reason: string,
  cause?: unknown,
  place?: string,
): CallError {
  return unavailable(kind, reason, { outcome: 'not_applied', cause, place })
}

/** Converts what a driver threw; a write that was under way may or may not have happened. */
export function toStoreError(kind: string, thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown
  return unavailable(kind, 'it did not answer', { outcome: 'unknown', cause: thrown })
}

/** Says that a counter was asked of an entry that is none, or that the counter is full. */
export function notACounter(): CallError {
  return new CallError('CONFLICT', {
    message: 'The store entry cannot be incremented: it is not a whole number within safe range',
  })
}

// Addresses and driver messages stay in the cause: they are for logs, not for remote callers.
function unavailable(
  kind: string,
  reason: string,
  {
    outcome,
    cause,
    place,
  }: {
    readonly outcome: 'not_applied' | 'unknown'
    readonly cause: unknown
    readonly place?: string | undefined
  },
): CallError {
  const message = `The ${kind} store is unavailable: ${reason}`
  const details = { store: kind, outcome }
  return new CallError('UNAVAILABLE', { message, reason: place, details, cause })
}
