import type { CallError } from '../core/error.ts'
import { readRetryAfter } from '../core/retry-after.ts'
import type { HttpResponse } from '../wire/http.ts'

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}

/** Answers in RFC 9457 form where no surface is responsible. */
export function problemResponse(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail }),
  }
}

/** Answers what is refused before a surface sees it. */
export function toProblem({ status = 400, message, errors }: CallError): HttpResponse {
  const retryAfter = readRetryAfter(errors)
  return problemResponse(
    status,
    message,
    retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  )
}
