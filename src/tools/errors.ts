import { challengeHeaders } from '../core/challenge.ts'
import type { CallError } from '../core/error.ts'
import { readRetryAfter } from '../core/retry-after.ts'
import { toReason, toShort } from '../core/text.ts'
import type { HttpResponse } from '../wire/http.ts'
import type { CallResult } from './tool.ts'

/** Headers of every JSON answer that is made for one request. */
export const JSON_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Answers with the envelope of everything that fails before a tool runs: `{"error": text}`. */
export function refuse(
  status: number,
  text: string,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return {
    status,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: JSON.stringify({ error: text }),
  }
}

/** Answers a request that is refused before anybody reads it. */
export function refuseTools({ status = 400, message, errors }: CallError): HttpResponse {
  const retryAfter = readRetryAfter(errors)
  return refuse(status, message, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}

/** Answers that a tool is unknown; the name is the decoded one. */
export function refuseUnknownTool(name: string): HttpResponse {
  return refuse(404, `Tool not found: ${toShort(name)}`)
}

/** Answers that execution is off, also for tools that do not exist. */
export function refuseExecution(): HttpResponse {
  return refuse(403, 'Tool execution is disabled.')
}

/** Answers a rejected caller; nothing of the reason is told. */
export function refuseCaller(...challenges: readonly (string | undefined)[]): HttpResponse {
  return refuse(401, 'Unauthorized', challengeHeaders(401, ...challenges))
}

/** Answers a method that a path does not know. */
export function refuseMethod(method: string, allow: string): HttpResponse {
  return refuse(405, `${toShort(method)} is not allowed here; use ${allow}.`, { allow })
}

/** Answers a failure on our side, such as a provider that threw; the cause stays in the log. */
export function refuseInternally(): HttpResponse {
  return refuse(500, 'Internal Server Error')
}

/** Turns what a call handler threw into a result, as the protocol asks: its message in one text item. */
export function toErrorResult(thrown: unknown): CallResult {
  const text = toReason(thrown)
  return { content: [{ type: 'text', text }], isError: true }
}
