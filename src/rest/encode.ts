import type { Call, Outcome, Reply } from '../core/call.ts'
import { resolveCode } from '../core/codes.ts'
import { CallError, type CallErrorShape } from '../core/error.ts'
import { isPrepared } from '../core/prepared.ts'
import { readRetryAfter } from '../core/retry-after.ts'
import type { HttpResponse } from '../wire/http.ts'

/** Encodes an outcome as a plain HTTP answer: the result itself, or problem details with one entry per finding. */
export function encodeOutcome(outcome: Outcome, call: Call | undefined): HttpResponse {
  if (!outcome.ok) return encodeErrors(outcome.errors, outcome.status, call)
  return {
    status: pickStatus(call?.reply),
    headers: { 'content-type': 'application/json', ...call?.reply.headers },
    body: isPrepared(outcome.result)
      ? outcome.result.json
      : (JSON.stringify(outcome.result) ?? 'null'),
  }
}

function pickStatus(reply: Reply | undefined): number {
  if (reply?.disposition === undefined) return 200
  return reply.disposition === 'unavailable' ? 503 : 202
}

/** Encodes errors as RFC 9457 problem details. */
export function encodeErrors(
  errors: readonly [CallErrorShape, ...CallErrorShape[]],
  declared: number | undefined,
  call: Call | undefined,
): HttpResponse {
  const [first] = errors
  const status = errors.length > 1 ? 400 : (declared ?? resolveCode(first.code).status)
  const retryAfter = readRetryAfter(errors)
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...call?.reply.headers,
    },
    body: JSON.stringify({
      type: 'about:blank',
      title: first.message,
      status,
      code: first.code,
      ...(first.details && { details: first.details }),
      errors: errors.map(encodeError),
    }),
  }
}

/** Encodes what can always be written, when the failure itself cannot. */
export function encodeInternalError(): HttpResponse {
  return encodeErrors(new CallError('INTERNAL_ERROR').errors, undefined, undefined)
}

/** Arguments are the whole body here, so pointers start at them. */
function encodeError({ code, message, source, details }: CallErrorShape): object {
  const pointer =
    source && 'pointer' in source ? source.pointer.replace(/^\/call\/arguments/, '') : undefined
  return {
    code,
    message,
    ...(pointer !== undefined ? { pointer } : {}),
    ...(source && 'position' in source && { position: source.position }),
    ...(details && { details }),
  }
}
