import type { Service } from '../core/service.ts'
import type { HealthReport } from '../system/health.ts'
import { encodeHealth, reportHealth } from '../system/health.ts'
import type { HttpHandler, HttpResponse } from '../wire/http.ts'
import { problemResponse } from './problem.ts'

/** Creates the two probes an orchestrator asks, from the same checks as the health function. */
export function createProbes(service: Service): {
  readonly live: HttpHandler
  readonly ready: HttpHandler
} {
  const probe =
    (component?: string): HttpHandler =>
    async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return problemResponse(405, 'Probes are read with GET', { allow: 'GET, HEAD' })
      }
      return toResponse(await reportHealth(service, { component, signal: request.signal() }))
    }
  return { live: probe('self'), ready: probe() }
}

function toResponse(report: HealthReport): HttpResponse {
  return {
    status: report.status === 'unhealthy' ? 503 : 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(encodeHealth(report)),
  }
}
