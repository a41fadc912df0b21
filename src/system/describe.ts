import {
  type Components,
  defineFunction,
  type FunctionDefinition,
  type FunctionEntry,
  functionNotFound,
  isVisible,
  type QueryCapabilities,
  type Service,
  type Target,
  type View,
  viewOf,
} from '../core/index.ts'
import { REQUIRED_SCOPES } from '../discovery/index.ts'
import { CallError } from '../errors/index.ts'
import { collectSchemas, jsonSchema, moveReferences } from '../schema/index.ts'
import { type JsonObject, toShort } from '../values/index.ts'

const STYLES = ['cursor', 'offset', 'keyset']

/** Writes query capabilities as the `pagination` and `capabilities` members of seed 001. */
export function encodeQuery(query: QueryCapabilities | undefined): JsonObject {
  if (query === undefined) return {}
  const capabilities: JsonObject = {
    ...(query.filters && { filters: byResource(query.filters) }),
    ...(query.sorts?.allowed && { sorts: [...query.sorts.allowed] }),
    ...(query.fields && { fields: byResource(query.fields) }),
    ...(query.relationships?.allowed && { relationships: [...query.relationships.allowed] }),
  }
  return {
    ...(query.pagination && { pagination: encodePagination(query.pagination) }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
  }
}

function encodePagination(pagination: NonNullable<QueryCapabilities['pagination']>): JsonObject {
  const { strategies = [], defaultStrategy, defaultSize = 25, maxSize = 100 } = pagination
  // Seed 001 has no word for numbered pages.
  const styles = strategies.filter((strategy) => STYLES.includes(strategy))
  const style = defaultStrategy ?? styles[0]
  return {
    styles,
    ...(style !== undefined && styles.includes(style) && { default_style: style }),
    default_limit: defaultSize,
    max_limit: maxSize,
  }
}

function byResource(lists: {
  readonly allowed?: readonly string[]
  readonly related?: Readonly<Record<string, readonly string[]>>
}): JsonObject {
  return {
    ...(lists.allowed && { self: [...lists.allowed] }),
    ...Object.fromEntries(
      Object.entries(lists.related ?? {}).map(([name, fields]) => [name, [...fields]]),
    ),
  }
}

/** Writes a version's schemas as one object whose references resolve inside it, at `#/definitions/…`. */
export function toSchemaObject(target: Target, components: Components): JsonObject {
  const { inputSchema, outputSchema } = target
  const roots = outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema]
  const definitions = collectSchemas(roots, components.schemas ?? {})
  const move = (schema: unknown) =>
    moveReferences(schema, (name) => `#/definitions/${name}`) as JsonObject
  const moved = Object.entries(definitions).map(([name, schema]) => [name, move(schema)] as const)
  return {
    arguments: move(inputSchema),
    ...(outputSchema && { returns: move(outputSchema) }),
    ...(moved.length > 0 && { definitions: Object.fromEntries(moved) }),
  }
}

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
    handler({ input, principal }) {
      const view = viewOf(service, principal)
      const entry = requireDescribed(service, input.function, view)
      const targets = selectVersions(entry, input.version, view)
      const all = selectVersions(entry, undefined, view)
      const main = toRecommended(entry, all)
      const others = all.filter((target) => !targets.includes(target))
      return {
        function: entry.name,
        description: main?.definition.description ?? main?.definition.summary ?? '',
        side_effects: main?.stateChanges ?? [],
        versions: targets.map((target) =>
          encodeVersion(service, target, input.include_schema ?? true),
        ),
        ...(main && { recommended_version: main.version }),
        ...(others.length > 0 && { other_versions: others.map(({ version }) => version) }),
      }
    },
  })
}

/** Finds a function that discovery may show; others are as good as absent. */
export function requireDescribed({ registry }: Service, name: string, view: View): FunctionEntry {
  const entry = registry.find(name)
  if (entry?.ordered.some((target) => isShown(target, view))) return entry
  throw functionNotFound(registry, name, '/call/arguments/function', view)
}

function isShown(target: Target, view: View): boolean {
  return target.system || isVisible(target, view)
}

/** Of what the view hides, nothing is recommended. */
function toRecommended(
  { recommended }: FunctionEntry,
  shown: readonly Target[],
): Target | undefined {
  return recommended === undefined || shown.includes(recommended) ? recommended : shown.at(-1)
}

/** Finds the versions of a function that were asked for. */
export function selectVersions(
  entry: FunctionEntry,
  version: string | undefined,
  view: View,
): readonly Target[] {
  const visible = entry.ordered.filter((target) => isShown(target, view))
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
    ...(target.scopes.length > 0 && { [REQUIRED_SCOPES]: [...target.scopes] }),
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
