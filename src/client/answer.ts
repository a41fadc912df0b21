import type { Outcome, ReplyEntry } from '../core/call.ts'
import type { CallError } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'

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
