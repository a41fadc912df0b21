import type { Outcome, ReplyEntry } from '../core/index.ts'
import { CallError, type CallErrorShape } from '../errors/index.ts'
import { canonicalUrn, type JsonObject } from '../values/index.ts'

/** What one attempt came to. */
export interface Answer {
  readonly outcome: Outcome
  readonly extensions: readonly ReplyEntry[]
  readonly meta: JsonObject
  /** What the Retry-After header asks for. */
  readonly retryAfterMs?: number | undefined
  /** HTTP status; absent when no answer came. */
  readonly status?: number
  readonly cause?: unknown
}

/** Makes the answer of an attempt that ended without one. */
export function toFailedAnswer({ errors, cause }: CallError): Answer {
  return { outcome: { ok: false, errors }, extensions: [], meta: {}, cause }
}

/** What accompanies every outcome. */
export interface OutcomeFrame {
  /** Id of the last attempt, the one the service knows. */
  readonly id: string
  /** How often the request was sent, or tried to be. */
  readonly attempts: number
  /** What extensions answered, also those nobody asked for. */
  readonly extensions: readonly ReplyEntry[]
  readonly meta: JsonObject
}

/** A call that gave a result. */
export interface CallSuccess<Result = unknown> extends OutcomeFrame {
  readonly ok: true
  readonly result: Result
}

/** An error of a failed call. */
export interface OutcomeError<ErrorCode extends string = string> extends CallErrorShape {
  readonly code: ErrorCode
}

/** A declared error whose schema types its details. */
export interface DetailedError<ErrorCode extends string, Details>
  extends Omit<OutcomeError<ErrorCode>, 'details'> {
  readonly details: Details
}

/** A call that failed; `error` is the first of `errors`, and its `code` tells what its details are. */
export interface CallFailure<Failed = OutcomeError> extends OutcomeFrame {
  readonly ok: false
  readonly error: Failed
  readonly errors: readonly [Failed, ...Failed[]]
  /** HTTP status of the answer; absent when none came that is a Forrst document. */
  readonly status?: number
  /** What the platform said about a failed connection; never from the service. */
  readonly cause?: unknown
}

/** What a call comes to; `Failed` are the errors it may end with. */
export type CallOutcome<Result = unknown, Failed = OutcomeError> =
  | CallSuccess<Result>
  | CallFailure<Failed>

/** Makes the outcome of a call from the answer to its last attempt. */
export function toCallOutcome(
  { outcome, extensions, meta, status, cause }: Answer,
  { id, attempts }: { readonly id: string; readonly attempts: number },
): CallOutcome {
  const frame = { id, attempts, extensions, meta }
  if (outcome.ok) return { ok: true, result: outcome.result, ...frame }
  const { errors } = outcome
  return {
    ok: false,
    error: errors[0],
    errors,
    ...frame,
    ...(status !== undefined && { status }),
    ...(cause !== undefined && { cause }),
  }
}

/** Finds what one extension answered, however its URN is spelled. */
export function findExtension(
  outcome: Pick<OutcomeFrame, 'extensions'>,
  urn: string,
): ReplyEntry | undefined {
  const wanted = canonicalUrn(urn)
  return outcome.extensions.find((entry) => canonicalUrn(entry.urn) === wanted)
}

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
