import {
  createPreparedResult,
  defineFunction,
  EVERYTHING,
  type FunctionDefinition,
  isVisible,
  type Service,
  type View,
  viewOf,
} from '../core/index.ts'
import { PROTOCOL_VERSIONS } from '../wire/index.ts'

/** Creates the function that sums a service up, in the words of seed 001. */
export function capabilitiesFunction(service: Service): FunctionDefinition {
  const prepare = createPreparedResult(service.registry, (view) => ({
    service: service.name,
    protocol_versions: PROTOCOL_VERSIONS,
    extensions: service.extensions.map(({ urn, details }) => ({
      urn,
      documentation: urn,
      ...details,
    })),
    functions: listDiscoverable(service, view),
    limits: {
      max_request_bytes: service.limits.maxRequestBytes,
      ...(service.limits.defaultDeadline && { default_deadline: service.limits.defaultDeadline }),
    },
  }))
  return defineFunction({
    name: 'urn:cline:forrst:fn:capabilities',
    version: '1.0.0',
    summary: 'Discover what the service supports',
    sideEffects: [],
    discoverable: false,
    handler: ({ principal }) => prepare(viewOf(service, principal)),
  })
}

/** Lists the names of the functions that discovery may show to a view, without versions. */
export function listDiscoverable(
  { registry }: Service,
  view: View = EVERYTHING,
): readonly string[] {
  return [...registry.entries()]
    .filter(({ ordered }) => ordered.some((target) => isVisible(target, view)))
    .map(({ name }) => name)
}
