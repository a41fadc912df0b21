import {
  type ComponentReport,
  defineFunction,
  type Extension,
  type FunctionDefinition,
  type Service,
  worstStatus,
} from '../core/index.ts'
import { extensionUrn, type JsonObject } from '../values/index.ts'
import { plainPingFunction } from './functions.ts'
import { HEALTH_INPUT, type HealthReport, reportHealth } from './health.ts'

/** Creates the extension that offers ping and health under its own names, with latencies as plain numbers. */
export function diagnosticsExtension(): Extension {
  return {
    urn: extensionUrn('diagnostics'),
    version: '1.0.0',
    functions: (service) => [plainPingFunction(service), healthFunction(service)],
  }
}

function healthFunction(service: Service): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:ext:diagnostics:fn:health',
    version: '1.0.0',
    summary: 'Health of every component, with latencies in milliseconds',
    sideEffects: [],
    discoverable: false,
    input: HEALTH_INPUT,
    async handler({ input, call, signal }) {
      const report = await reportHealth(service, { component: input.component, signal })
      const result = encodeHealth(report, input.include_details ?? true)
      if (result['status'] === 'unhealthy') call.reply.disposition = 'unavailable'
      return result
    },
  })
}

/** Function states are left out: this shape has no room for them, and a status without its cause would puzzle. */
function encodeHealth(report: HealthReport, includeDetails: boolean): JsonObject {
  const components = Object.entries(report.components)
  const status = worstStatus([
    ...components.map(([, component]) => component.status),
    report.maintenance ? 'unhealthy' : 'healthy',
  ])
  const { timestamp, version } = report
  if (!includeDetails) return { status, timestamp }
  return {
    status,
    timestamp,
    components: Object.fromEntries(
      components.map(([name, component]) => [name, encodeComponent(component)]),
    ),
    version,
  }
}

function encodeComponent({ status, latencyMs, message }: ComponentReport): JsonObject {
  return {
    status,
    latency_ms: Math.max(0, Math.round(latencyMs)),
    ...(message !== undefined && { message }),
  }
}
