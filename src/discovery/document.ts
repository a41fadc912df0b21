import type { Components } from '../core/description.ts'
import { toDraft7 } from '../core/dialect.ts'
import { PROTOCOL_VERSION } from '../core/protocol.ts'
import type { JsonSchema } from '../core/schema.ts'
import type { Service } from '../core/service.ts'
import type { Target } from '../core/target.ts'
import { toFunctionObject } from './function-object.ts'
import { createSchemaCollection } from './schema-collection.ts'
import type { DiscoveryDocument } from './types.ts'

/** What a document shows beyond what everybody may see. */
export interface DocumentOptions {
  /** Also functions with `discoverable: false`. */
  readonly includeHidden?: boolean
}

/** Builds the discovery document of a service. */
export function buildDocument(service: Service, options: DocumentOptions = {}): DiscoveryDocument {
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
  { includeHidden = false }: DocumentOptions,
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

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
