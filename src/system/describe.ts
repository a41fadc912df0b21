import { functionNotFound } from '../core/dispatch.ts'
import { CallError } from '../core/error.ts'
import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import type { JsonObject } from '../core/json.ts'
import type { FunctionEntry } from '../core/registry.ts'
import { jsonSchema } from '../core/schema.ts'
import type { Service } from '../core/service.ts'
import { isDiscoverable, type Target } from '../core/target.ts'
import { toShort } from '../core/text.ts'
import { encodeQuery } from './describe-query.ts'
import { toSchemaObject } from './describe-schema.ts'

/** Creates the function that explains one function, in the words of seed 001. */
export function describeFunction(service: Service): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:fn:describe',
    version: '1.0.0',
    summary: 'Detailed information about one function',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<{ function: string; version?: string; include_schema?: boolean }>({
      type: 'object',
      properties: {
        function: { type: 'string', description: 'Function name to describe' },
        version: { type: 'string', description: 'Specific version; all when omitted' },
        include_schema: { type: 'boolean', default: true },
      },
      required: ['function'],
    }),
    handler({ input }) {
      const entry = requireDescribed(service, input.function)
      const targets = selectVersions(entry, input.version)
      const main = entry.recommended ?? entry.ordered.at(-1)
      return {
        function: entry.name,
        description: main?.definition.description ?? main?.definition.summary ?? '',
        side_effects: main?.stateChanges ?? [],
        versions: targets.map((target) =>
          encodeVersion(service, target, input.include_schema ?? true),
        ),
        ...(entry.recommended &&
          targets.includes(entry.recommended) && {
            recommended_version: entry.recommended.version,
          }),
      }
    },
  })
}

/** Finds a function that discovery may show; others are as good as absent. */
export function requireDescribed(service: Service, name: string): FunctionEntry {
  const entry = service.registry.find(name)
  if (entry?.ordered.some((target) => target.system || isDiscoverable(target))) return entry
  throw functionNotFound(service.registry, name, '/call/arguments/function')
}

/** Finds the versions of a function that were asked for. */
export function selectVersions(
  entry: FunctionEntry,
  version: string | undefined,
): readonly Target[] {
  const visible = entry.ordered.filter((target) => target.system || isDiscoverable(target))
  if (version === undefined) return visible
  const target = visible.find((candidate) => candidate.version === version)
  if (target !== undefined) return [target]
  const known = visible.map((candidate) => candidate.version)
  throw new CallError('VERSION_NOT_FOUND', {
    message: `${entry.name} has no version ${toShort(version)}; known: ${known.join(', ')}`,
    source: { pointer: '/call/arguments/version' },
    details: { function: entry.name, requested_version: version, available_versions: known },
  })
}

function encodeVersion(service: Service, target: Target, includeSchema: boolean): JsonObject {
  const { definition, acceptance } = target
  const description = definition.description ?? definition.summary
  return {
    version: target.version,
    stability: target.stability,
    ...(description !== undefined && { description }),
    ...(definition.deprecated && { deprecated: { ...definition.deprecated } }),
    ...(includeSchema &&
      isDescribed(target) && { schema: toSchemaObject(target, service.components) }),
    ...encodeQuery(definition.query),
    ...(acceptance && { extensions: { ...acceptance } }),
  }
}

/** A version that says nothing about its arguments and result has no schema to show. */
function isDescribed({ definition, outputSchema }: Target): boolean {
  return (
    definition.input !== undefined ||
    definition.arguments !== undefined ||
    outputSchema !== undefined
  )
}
