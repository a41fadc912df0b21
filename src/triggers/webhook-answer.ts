import type { CallError } from '../core/error.ts'
import { readRetryAfter } from '../core/retry-after.ts'
import type { HttpResponse } from '../wire/http.ts'
import type { Settled } from './trigger.ts'

/** Writes an answer as JSON. */
export function answer(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

/** Writes an answer as text that a browser takes for nothing else. */
export function answerText(text: string): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    body: text,
  }
}

/** Writes a refusal: a word a program can match, never the text of a failure. */
export function refuse(
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return answer(status, { status: 'refused', reason }, headers)
}

/** Answers a delivery that is refused before anybody reads it; whoever gets 503 sends it again. */
export function refuseWebhook({ code, status = 400, errors }: CallError): HttpResponse {
  const retryAfter = readRetryAfter(errors)
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return refuse(status, code.toLowerCase(), headers)
}

/** Tells a sender that waits how its delivery ended. */
export function answerSettled(settled: Settled): HttpResponse {
  const { status, delivery } = settled
  if (status === 'done') return answer(200, { status, delivery, result: settled.result ?? null })
  if (status === 'duplicate') return answer(200, { status, delivery })
  const failed = { status: 'failed', delivery }
  if (status === 'dead') return answer(500, failed)
  return answer(500, failed, { 'retry-after': String(Math.ceil(settled.delayMs / 1000)) })
}
