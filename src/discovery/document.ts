import type { Components, Service, Target } from '../core/index.ts'
import {
  collectSchemas,
  type JsonSchema,
  mapValues,
  moveReferences,
  toDraft7,
} from '../schema/index.ts'
import { PROTOCOL_VERSION } from '../wire/index.ts'
import type { DiscoveryDocument } from './decode.ts'
import { toFunctionObject } from './function-object.ts'

/** The schemas a document shares: those of the service, and those that functions brought along. */
export interface SchemaCollection {
  /** Lets a schema refer to the shared ones, taking its own definitions along. */
  readonly move: (schema: JsonSchema) => JsonSchema
  /** Everything collected so far. */
  readonly collected: () => Readonly<Record<string, JsonSchema>>
}

/** Creates a collection that starts with the service's own schemas; `print` writes them in a dialect, draft 7 by default. */
export function createSchemaCollection(
  shared: Readonly<Record<string, JsonSchema>>,
  print: (schema: JsonSchema) => JsonSchema = toDraft7,
): SchemaCollection {
  const schemas = new Map<string, JsonSchema>()
  const origins = new Map<string, JsonSchema>(Object.entries(shared))

  /** Two functions may use one name for different schemas; the later one gets a number. */
  const claim = (name: string, schema: JsonSchema): string => {
    for (let attempt = 1; ; attempt += 1) {
      const candidate = attempt === 1 ? name : `${name}_${attempt}`
      const taken = origins.get(candidate)
      if (taken === undefined) origins.set(candidate, schema)
      if (taken === undefined || taken === schema || isSame(taken, schema)) return candidate
    }
  }

  const move = (schema: JsonSchema): JsonSchema => {
    const reached = Object.entries(collectSchemas([schema], shared))
    const names = new Map(reached.map(([name, definition]) => [name, claim(name, definition)]))
    const rename = (name: string) => `#/components/schemas/${names.get(name) ?? name}`
    for (const [name, definition] of reached) {
      const claimed = names.get(name) ?? name
      if (!schemas.has(claimed)) {
        schemas.set(claimed, print(moveReferences(definition, rename) as JsonSchema))
      }
    }
    return moveReferences(schema, rename) as JsonSchema
  }

  for (const [name, schema] of Object.entries(shared)) schemas.set(name, print(move(schema)))
  return { move, collected: () => Object.fromEntries(schemas) }
}

function isSame(left: JsonSchema, right: JsonSchema): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

/** What a document shows beyond what everybody may see. */
export interface BuildDocumentOptions {
  /** Also functions with `discoverable: false`. */
  readonly includeHidden?: boolean
}

/** Builds the discovery document of a service. */
export function buildDocument(
  service: Service,
  options: BuildDocumentOptions = {},
): DiscoveryDocument {
  const schemas = createSchemaCollection(service.components.schemas ?? {})
  const functions = listTargets(service, options).map((target) =>
    toFunctionObject(target, schemas.move),
  )
  const components = toComponents(service.components, schemas.collected(), schemas.move)
  return {
    forrst: PROTOCOL_VERSION,
    discovery: '0.1',
    info: service.info,
    ...(service.servers.length > 0 && { servers: service.servers }),
    functions,
    ...(Object.keys(components).length > 0 && { components }),
  }
}

/** Lists the versions of functions that a document shows, in the order they were registered. */
export function listTargets(
  service: Service,
  { includeHidden = false }: BuildDocumentOptions,
): readonly Target[] {
  return [...service.registry.entries()].flatMap(({ ordered }) =>
    ordered.filter(
      ({ system, stability, definition }) =>
        !system && stability !== 'removed' && (includeHidden || definition.discoverable !== false),
    ),
  )
}

function toComponents(
  components: Components,
  schemas: Readonly<Record<string, JsonSchema>>,
  move: (schema: JsonSchema) => JsonSchema,
): Components {
  const { contentDescriptors, errors, resources: _resources } = components
  return {
    ...components,
    ...(Object.keys(schemas).length > 0 && { schemas }),
    ...(contentDescriptors && {
      contentDescriptors: mapValues(contentDescriptors, (descriptor) => ({
        ...descriptor,
        schema: toDraft7(move(descriptor.schema)),
      })),
    }),
    ...(errors && {
      errors: mapValues(errors, ({ status: _status, data, ...error }) => ({
        ...error,
        ...(data && { data: toDraft7(move(data)) }),
      })),
    }),
  }
}
