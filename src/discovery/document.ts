import {
  type Components,
  EVERYTHING,
  isReference,
  isVisible,
  type Link,
  resolveReference,
  type Service,
  type Target,
  type View,
} from '../core/index.ts'
import {
  addressOf,
  collectSchemas,
  type JsonSchema,
  mapValues,
  moveReferences,
  resolveLocal,
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

/**
 * Creates a collection that starts with the service's own schemas; `print` writes them in a dialect, draft 7 by default.
 * For a view that does not see everything it starts empty: a schema may tell of the functions that use it.
 */
export function createSchemaCollection(
  shared: Readonly<Record<string, JsonSchema>>,
  print: (schema: JsonSchema) => JsonSchema = toDraft7,
  view: View = EVERYTHING,
): SchemaCollection {
  const schemas = new Map<string, JsonSchema>()
  const first = view === EVERYTHING ? Object.entries(shared) : []
  const origins = new Map<string, JsonSchema>(first)

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

  for (const [name, schema] of first) schemas.set(name, print(move(schema)))
  return { move, collected: () => Object.fromEntries(schemas) }
}

function isSame(left: JsonSchema, right: JsonSchema): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

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
  const functions = listTargets(service, options).map((target) =>
    toFunctionObject(target, schemas.move, selectLinks(service, target, view)),
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

/** Lists the versions of functions that a document shows, in the order they were registered. */
export function listTargets(
  service: Service,
  { includeHidden = false, view = EVERYTHING }: BuildDocumentOptions,
): readonly Target[] {
  const isListed = (target: Target) =>
    includeHidden
      ? !target.system && target.stability !== 'removed' && view.permits(target)
      : isVisible(target, view)
  return [...service.registry.entries()].flatMap(({ ordered }) => ordered.filter(isListed))
}

/** Picks the links of a function that lead to something the view shows. */
export function selectLinks(
  { registry, components }: Service,
  { definition: { links } }: Target,
  view: View,
): Target['definition']['links'] {
  if (links === undefined || view === EVERYTHING) return links
  return links.filter((given) => {
    const link = resolveReference<Link>(given, components, 'links')
    const entry =
      link?.function === undefined || link.server ? undefined : registry.find(link.function)
    return entry === undefined || entry.ordered.some((target) => isVisible(target, view))
  })
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
