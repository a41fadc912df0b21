import { createContracts } from '../contract/index.ts'
import {
  createPreparedResult,
  defineFunction,
  type Extension,
  type FunctionDefinition,
  type Service,
  type View,
  viewOf,
} from '../core/index.ts'
import { buildDocument, toExtensionVersions, toStandaloneFunction } from '../discovery/index.ts'
import { CallError } from '../errors/index.ts'
import { jsonSchema } from '../schema/index.ts'
import { extensionUrn } from '../values/index.ts'
import { PROTOCOL_VERSIONS } from '../wire/index.ts'
import { listDiscoverable } from './capabilities.ts'
import { requireDescribed, selectVersions } from './describe.ts'

/** Creates the extension that introduces a service, in the words of seed 000. */
export function discoveryExtension(): Extension {
  return {
    urn: extensionUrn('discovery'),
    version: '1.0.0',
    functions: (service) => [capabilitiesFunction(service), describeFunction(service)],
  }
}

function capabilitiesFunction(service: Service): FunctionDefinition {
  const prepare = createPreparedResult(service.registry, (view) => {
    const extensions = service.extensions.map(({ urn, version }) => ({ urn, version }))
    return {
      service: service.name,
      protocolVersions: PROTOCOL_VERSIONS,
      functions: listDiscoverable(service, view),
      ...(extensions.length > 0 && { extensions }),
      limits: {
        maxRequestSize: service.limits.maxRequestBytes,
        ...(service.limits.rateLimit !== undefined && { rateLimit: service.limits.rateLimit }),
      },
    }
  })
  return defineFunction({
    name: 'urn:cline:forrst:ext:discovery:fn:capabilities',
    version: '1.0.0',
    summary: 'Lightweight capability summary',
    sideEffects: [],
    discoverable: false,
    handler: ({ principal }) => prepare(viewOf(service, principal)),
  })
}

function describeFunction(service: Service): FunctionDefinition {
  const prepare = createPreparedResult(service.registry, (view) => buildDocument(service, { view }))
  return defineFunction({
    name: 'urn:cline:forrst:ext:discovery:fn:describe',
    version: '1.0.0',
    summary: 'Full service schema introspection',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<{ function?: string; version?: string }>({
      type: 'object',
      properties: {
        function: { type: 'string', description: 'Specific function to describe' },
        version: { type: 'string', description: 'Specific version (with function)' },
      },
    }),
    handler({ input, principal }) {
      const view = viewOf(service, principal)
      if (input.function !== undefined) {
        return describeOne(service, view, input.function, input.version)
      }
      if (input.version === undefined) return prepare(view)
      throw new CallError('INVALID_ARGUMENTS', {
        message: 'version can only be given together with function',
        source: { pointer: '/call/arguments/version' },
      })
    },
  })
}

function describeOne(
  service: Service,
  view: View,
  name: string,
  version: string | undefined,
): object {
  const entry = requireDescribed(service, name, view)
  const visible = selectVersions(entry, version, view)
  const target =
    version === undefined && entry.latest && visible.includes(entry.latest)
      ? entry.latest
      : visible.at(-1)
  const versions = toExtensionVersions(service.extensions, service.servers)
  return target === undefined
    ? {}
    : toStandaloneFunction(createContracts(service).of(target), service, versions, view)
}
