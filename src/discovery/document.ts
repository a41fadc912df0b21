import { createContracts } from '../contract/index.ts'
import { type Components, EVERYTHING, isReference, type Service, type View } from '../core/index.ts'
import { addressOf, mapValues, resolveLocal, toDraft7 } from '../schema/index.ts'
import { PROTOCOL_VERSION } from '../wire/index.ts'
import type { DiscoveryDocument } from './decode.ts'
import { selectLinks, toFunctionObject } from './function-object.ts'
import { createSchemaCollection, type SchemaCollection } from './schema-collection.ts'

/** What a document shows beyond what everybody may see. */
export interface BuildDocumentOptions {
  /** Also functions with `discoverable: false`. */
  readonly includeHidden?: boolean
  /** Who reads it; everything when absent. */
  readonly view?: View
}

/** Builds the discovery document of a service. */
export function buildDocument(
  service: Service,
  options: BuildDocumentOptions = {},
): DiscoveryDocument {
  const { view = EVERYTHING } = options
  const schemas = createSchemaCollection(service.components.schemas ?? {}, toDraft7, view)
  const functions = createContracts(service)
    .list(options)
    .map((contract) =>
      toFunctionObject(contract, schemas.move, selectLinks(service, contract, view)),
    )
  const own =
    view === EVERYTHING ? service.components : selectReached(service.components, functions)
  const components = toComponents(own, schemas)
  return {
    forrst: PROTOCOL_VERSION,
    discovery: '0.1',
    info: service.info,
    ...(service.servers.length > 0 && { servers: service.servers }),
    functions,
    ...(Object.keys(components).length > 0 && { components }),
  }
}

/** Keeps the components that some value refers to, itself or through others. */
function selectReached(components: Components, root: unknown): Components {
  const reached = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || reached.has(value)) return
    reached.add(value)
    const address = isReference(value) ? addressOf(value) : undefined
    if (address !== undefined) visit(resolveLocal({ components }, address))
    for (const member of Object.values(value)) visit(member)
  }
  visit(root)
  const { schemas: _collected, ...kinds } = components
  return Object.fromEntries(
    Object.entries(kinds)
      .map(
        ([kind, named]) =>
          [
            kind,
            Object.fromEntries(Object.entries(named).filter(([, value]) => reached.has(value))),
          ] as const,
      )
      .filter(([, named]) => Object.keys(named).length > 0),
  )
}

function toComponents(components: Components, { move, collected }: SchemaCollection): Components {
  const { contentDescriptors, errors } = components
  const moved = {
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
  const schemas = collected()
  return { ...components, ...(Object.keys(schemas).length > 0 && { schemas }), ...moved }
}
