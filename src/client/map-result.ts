import { CallError } from '../core/error.ts'
import type { CallOutcome } from './outcome.ts'

/** Decodes the result of a call; one that cannot be decoded makes it a failed call. */
export function mapResult<Result>(
  outcome: CallOutcome,
  decode: (result: unknown) => Result,
): CallOutcome<Result> {
  if (!outcome.ok) return outcome
  try {
    return { ...outcome, result: decode(outcome.result) }
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    const { result: _result, ...frame } = outcome
    return { ...frame, ok: false, error: thrown.errors[0], errors: thrown.errors }
  }
}
