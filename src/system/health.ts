import {
  type ComponentCheck,
  type ComponentReport,
  defineFunction,
  EVERYTHING,
  type FunctionDefinition,
  type FunctionHealth,
  type HealthStatus,
  isDiscoverable,
  type Service,
  type ServiceHealth,
  toServiceStatus,
  type View,
  viewOf,
  worstStatus,
} from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { jsonSchema, mapValues } from '../schema/index.ts'
import { formatTimestamp, type JsonObject, toDuration, toShort } from '../values/index.ts'
import { checkComponent } from './component-checks.ts'

/** What a look at the service found. */
export interface HealthReport {
  readonly status: HealthStatus
  readonly components: Readonly<Record<string, ComponentReport>>
  readonly functions: Readonly<Record<string, FunctionHealth>>
  /** Set while the whole service is down for maintenance. */
  readonly maintenance?: NonNullable<ServiceHealth['maintenance']>
  readonly timestamp: string
  readonly version: string
}

/** What to look at. */
export interface HealthQuestion {
  /** One component only; `self` is the process and always there. */
  readonly component?: string | undefined
  readonly signal: AbortSignal
  /** Who asks: functions that they may not call are not named; everything when absent. */
  readonly view?: View
}

const SELF: ComponentCheck = { check: () => ({ status: 'healthy' }) }

/** Asks every component of a service at once, or gives what was found a moment ago. */
export async function reportHealth(
  service: Service,
  { component, signal, view = EVERYTHING }: HealthQuestion,
): Promise<HealthReport> {
  const checks = selectChecks(service, component)
  const components = Object.fromEntries(
    await Promise.all(
      Object.entries(checks).map(
        async ([name, check]) =>
          [name, await checkComponent(service, name, check, signal)] as const,
      ),
    ),
  )
  // Maintenance is about readiness: asking for one component, as a liveness probe does, is not.
  const { functions = {}, maintenance } =
    component === undefined ? await collectServiceHealth(service) : {}
  return {
    status: worstStatus([
      ...Object.values(components).map(({ status }) => status),
      ...Object.values(functions).map(toServiceStatus),
      maintenance ? 'unhealthy' : 'healthy',
    ]),
    components,
    functions: selectFunctions(service, functions, view),
    ...(maintenance && { maintenance }),
    timestamp: formatTimestamp(service.clock.now()),
    version: service.info.version,
  }
}

/** Writes a report the way seed 001 prints it. */
export function encodeHealth(report: HealthReport, includeDetails = true): JsonObject {
  const { status, timestamp, version } = report
  if (!includeDetails && 'self' in report.components) return { status, timestamp }
  const encode = includeDetails ? encodeComponent : ({ status }: ComponentReport) => ({ status })
  return {
    status,
    components: mapValues(report.components, encode),
    ...(Object.keys(report.functions).length > 0 && {
      functions: mapValues(report.functions, encodeFunction),
    }),
    ...(report.maintenance && { maintenance: { active: true, ...report.maintenance } }),
    timestamp,
    version,
  }
}

function encodeComponent(component: ComponentReport): JsonObject {
  const { status, message, latencyMs, lastSuccess } = component
  return {
    status,
    latency: toDuration(latencyMs),
    ...(message !== undefined && { message }),
    ...(status === 'unhealthy' &&
      lastSuccess !== undefined && { last_check: formatTimestamp(lastSuccess) }),
  }
}

function encodeFunction({ status, message, until, retryAfter }: FunctionHealth): JsonObject {
  return {
    status,
    ...(message !== undefined && { message }),
    ...(until !== undefined && { until }),
    ...(retryAfter && { retry_after: { ...retryAfter } }),
  }
}

function selectChecks(
  service: Service,
  component: string | undefined,
): Readonly<Record<string, ComponentCheck>> {
  if (component === undefined) return service.healthChecks
  if (component === 'self') return { self: service.healthChecks['self'] ?? SELF }
  const check = Object.hasOwn(service.healthChecks, component)
    ? service.healthChecks[component]
    : undefined
  if (check === undefined) {
    throw new CallError('INVALID_ARGUMENTS', {
      message: `Unknown component "${toShort(component)}"; known: ${['self', ...Object.keys(service.healthChecks)].join(', ')}`,
      source: { pointer: '/call/arguments/component' },
    })
  }
  return { [component]: check }
}

async function collectServiceHealth(service: Service): Promise<ServiceHealth> {
  const found = await Promise.all(service.extensions.map((extension) => extension.health?.()))
  const maintenance = found.find((health) => health?.maintenance)?.maintenance
  const told: Record<string, FunctionHealth> = {}
  for (const health of found) Object.assign(told, health?.functions)
  const functions = collectFunctions(service, told)
  return { functions, ...(maintenance && { maintenance }) }
}

/** The state of the service is that of all its functions; whose names are told depends on who asks. */
function selectFunctions(
  { registry }: Service,
  functions: Readonly<Record<string, FunctionHealth>>,
  view: View,
): Readonly<Record<string, FunctionHealth>> {
  if (view === EVERYTHING) return functions
  const isTold = (name: string) => registry.find(name)?.ordered.some(view.permits) ?? true
  return Object.fromEntries(Object.entries(functions).filter(([name]) => isTold(name)))
}

/** Every function that discovery shows and every one that is not well; none while all are well. */
function collectFunctions(
  { registry }: Service,
  told: Readonly<Record<string, FunctionHealth>>,
): Readonly<Record<string, FunctionHealth>> {
  const states = [...registry.entries()].map(({ name, ordered }) => ({
    name,
    health: told[name] ?? registry.health(name),
    shown: ordered.some(isDiscoverable),
  }))
  const isWell = ({ health }: { readonly health: FunctionHealth }) => health.status === 'healthy'
  if (states.every(isWell)) return {}
  return Object.fromEntries(
    states
      .filter((state) => state.shown || !isWell(state))
      .map(({ name, health }) => [name, health] as const),
  )
}

/** The arguments of both health functions. */
export const HEALTH_INPUT: ReturnType<
  typeof jsonSchema<{ component?: string; include_details?: boolean }>
> = jsonSchema({
  type: 'object',
  properties: {
    component: { type: 'string', description: 'Check this component only; "self" is the process' },
    include_details: { type: 'boolean', default: true },
  },
})

/** Creates the function that looks at every component and every function state. */
export function healthFunction(service: Service): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:fn:health',
    version: '1.0.0',
    summary: 'Comprehensive health check with component-level status',
    sideEffects: [],
    discoverable: false,
    input: HEALTH_INPUT,
    async handler({ input, call, signal, principal }) {
      const view = viewOf(service, principal)
      const report = await reportHealth(service, { component: input.component, signal, view })
      if (report.status === 'unhealthy') call.reply.disposition = 'unavailable'
      return encodeHealth(report, input.include_details ?? true)
    },
  })
}
