import { createContracts } from '../contract/index.ts'
import type { Components, Service } from '../core/index.ts'
import { type JsonSchema, mapValues, toDraft7 } from '../schema/index.ts'
import { PROTOCOL_VERSION } from '../wire/index.ts'
import type { DiscoveryDocument } from './decode.ts'
import { toFunctionObject } from './function-object.ts'
import { createSchemaCollection } from './schema-collection.ts'

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
  const functions = createContracts(service)
    .list(options)
    .map((contract) => toFunctionObject(contract, schemas.move))
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
