import { type Service, viewOf } from '../core/index.ts'
import { type CallError, formatRetryAfter } from '../errors/index.ts'
import { encodeHealth, type HealthReport, reportHealth } from '../system/index.ts'
import type { HttpHandler, HttpResponse } from '../wire/index.ts'

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
  const retryAfter = formatRetryAfter(errors)
  return problemResponse(
    status,
    message,
    retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  )
}

const NO_STORE = { 'cache-control': 'no-store' }

/** Creates the two probes an orchestrator asks, from the same checks as the health function. */
export function createProbes(
  service: Service,
  isDraining: () => boolean,
): {
  readonly live: HttpHandler
  readonly ready: HttpHandler
} {
  const probe =
    (component?: string): HttpHandler =>
    async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return problemResponse(405, 'Probes are read with GET', { allow: 'GET, HEAD' })
      }
      // Whoever asks sends no more calls then; checks would only delay the answer.
      if (component === undefined && isDraining())
        return problemResponse(503, 'The service is stopping', NO_STORE)
      const question = { component, signal: request.signal(), view: viewOf(service) }
      return toResponse(await reportHealth(service, question))
    }
  return { live: probe('self'), ready: probe() }
}

function toResponse(report: HealthReport): HttpResponse {
  return {
    status: report.status === 'unhealthy' ? 503 : 200,
    headers: { 'content-type': 'application/json', ...NO_STORE },
    body: JSON.stringify(encodeHealth(report)),
  }
}
