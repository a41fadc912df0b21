import type { ExtensionEntry, Outcome } from '../core/call.ts'
import { formatTimestamp } from '../core/clock.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import { fromJson, type JsonObject } from '../core/json.ts'
import { toResultText } from '../core/prepared.ts'
import { mayFit } from '../core/response-limit.ts'
import type { Target } from '../core/target.ts'

/** What happened, as a receiver reads it. */
export interface WebhookEvent {
  readonly type: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly data: JsonObject
}

/** The end of a call, or of the operation it became. */
export interface CallEnd {
  readonly request: string
  readonly operation?: string
  readonly function: string
  readonly version: string
  readonly outcome: Outcome
  readonly endedAt: number
  /** The caller sees less than the function gave: the event then tells only that it has ended. */
  readonly redacted: boolean
}

/** A receiver wants to know that something ended; who needs a large result can ask for it. */
const MAX_RESULT_LENGTH = 200_000

/** Makes the event that tells how a call has ended. */
export function toEndEvent(end: CallEnd): WebhookEvent {
  const { outcome, endedAt } = end
  const status = toStatus(outcome)
  return {
    type: `forrst.operation.${status}`,
    at: endedAt,
    data: {
      ...(end.operation !== undefined && { operation_id: end.operation }),
      original_request_id: end.request,
      function: end.function,
      version: end.version,
      status,
      ...toEndContent(end),
      completed_at: formatTimestamp(endedAt),
    },
  }
}

/** Writes an event as the body of a delivery. */
export function encodeEvent({ type, at, data }: WebhookEvent): string {
  return JSON.stringify({ type, timestamp: formatTimestamp(at), data })
}

const REDACT_URN = 'urn:forrst:ext:redact'

/** Tells whether results of a call are redacted for its caller: by its own wish, or because the service always does. */
export function isRedacted(
  extensions: readonly ExtensionEntry[],
  target: Target | undefined,
): boolean {
  return (
    target?.joining.includes(REDACT_URN) === true ||
    extensions.some(({ urn }) => canonicalUrn(urn) === REDACT_URN)
  )
}

function toStatus(outcome: Outcome): 'completed' | 'failed' | 'cancelled' {
  if (outcome.ok) return 'completed'
  return outcome.errors[0].code === 'CANCELLED' ? 'cancelled' : 'failed'
}

/** Writes what came of a call as members of an event: `result`, `errors`, or that the result is not sent. */
export function toEndContent({
  outcome,
  redacted,
}: Pick<CallEnd, 'outcome' | 'redacted'>): JsonObject {
  if (!outcome.ok) {
    const errors = outcome.errors.map(({ code, message, details }) => ({
      code,
      message,
      ...(details && !redacted && { details }),
    }))
    return { errors }
  }
  if (redacted || !mayFit(outcome.result, MAX_RESULT_LENGTH)) return { result_omitted: true }
  const text = toResultText(outcome.result, MAX_RESULT_LENGTH)
  if (text.length > MAX_RESULT_LENGTH) return { result_omitted: true }
  return { result: fromJson(text) }
}
