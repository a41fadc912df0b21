import type { Contract } from '../contract/index.ts'
import {
  type ComponentKind,
  type ContentDescriptor,
  type DeclaredError,
  type ErrorDefinition,
  EVERYTHING,
  isReference,
  isVisible,
  type Link,
  type QueryCapabilities,
  type Reference,
  resolveReference,
  type Server,
  type Service,
  type Target,
  type View,
} from '../core/index.ts'
import { type JsonSchema, toDraft7 } from '../schema/index.ts'
import { asRecord, extensionUrn, isRecord } from '../values/index.ts'
import {
  ADDITIONAL_ARGUMENTS,
  type FunctionObject,
  REQUIRED_SCOPES,
  type StandaloneFunction,
} from './decode.ts'
import { createInlineCollection } from './schema-collection.ts'

/** Writes one version of a function the way seed 000 prints it; `move` places schema references. */
export function toFunctionObject(
  contract: Contract,
  move: (schema: JsonSchema) => JsonSchema,
  links: Target['definition']['links'] = contract.target.definition.links,
): FunctionObject {
  const { target } = contract
  const { definition } = target
  const place = (schema: JsonSchema): JsonSchema => toDraft7(move(schema))
  const described = toArguments(target, place)
  const result = toResult(contract, place)
  const query = definition.query && toQuery(definition.query)
  const extensions = toDeclarations(contract, place)
  return {
    name: target.name,
    version: target.version,
    stability: toStability(target),
    ...pick(definition, ['summary', 'description', 'tags']),
    ...(described && { arguments: described }),
    ...(!namesEveryArgument(target.inputSchema) && { [ADDITIONAL_ARGUMENTS]: true }),
    ...(result && { result }),
    ...(definition.errors && {
      errors: definition.errors.map((error) => toError(printed(error, target), place)),
    }),
    ...(links && { links }),
    ...pick(definition, ['examples']),
    ...(query && { query }),
    ...(target.sideEffects && { sideEffects: target.sideEffects }),
    ...(target.scopes.length > 0 && { [REQUIRED_SCOPES]: target.scopes }),
    ...pick(definition, ['deprecated', 'discoverable', 'simulations']),
    ...(extensions && { extensions }),
    ...pick(definition, ['externalDocs']),
  }
}

/** That a function streams follows from its definition; it need not be declared. */
function toDeclarations(
  { target, modes, results: { item } }: Contract,
  place: (schema: JsonSchema) => JsonSchema,
): FunctionObject['extensions'] {
  const { extensions } = target.definition
  const declared = extensions?.some(({ urn }) => urn === STREAM) === true
  if (!modes.includes('stream') || item === undefined || declared) return extensions
  return [...(extensions ?? []), { urn: STREAM, item: place(item) }]
}

const STREAM = extensionUrn('stream')

function toStability({ definition, stability }: Target): FunctionObject['stability'] {
  if (definition.deprecated !== undefined) return 'deprecated'
  return stability === 'stable' ? 'stable' : 'experimental'
}

function toArguments(
  { definition, inputSchema }: Target,
  place: (schema: JsonSchema) => JsonSchema,
): FunctionObject['arguments'] {
  if (definition.arguments !== undefined) {
    return definition.arguments.map((argument) => placeDescriptor(argument, place))
  }
  const { properties, required } = inputSchema
  if (!isRecord(properties)) return namesEveryArgument(inputSchema) ? [] : undefined
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties).map(([name, schema]) => {
    const own = asRecord(schema)
    const { $defs, definitions } = inputSchema
    // A property of a larger schema may refer to that schema's definitions; they travel with it.
    const whole = {
      ...own,
      ...(isRecord($defs) && { $defs }),
      ...(isRecord(definitions) && { definitions }),
    }
    return {
      name,
      ...(typeof own['description'] === 'string' && { description: own['description'] }),
      required: needed.has(name),
      ...(own['deprecated'] === true && { deprecated: true }),
      schema: place(whole),
    }
  })
}

/** Tells whether an arguments object takes nothing but its properties; a composed one has them elsewhere as well. */
function namesEveryArgument({ additionalProperties, patternProperties }: JsonSchema): boolean {
  return additionalProperties === false && patternProperties === undefined
}

function toResult(
  { target: { definition }, results: { value } }: Contract,
  place: (schema: JsonSchema) => JsonSchema,
): ContentDescriptor | Reference | undefined {
  if (definition.result !== undefined && isReference(definition.result)) return definition.result
  if (value === undefined) return undefined
  return { name: 'result', ...definition.result, schema: place(value) }
}

function placeDescriptor(
  descriptor: ContentDescriptor | Reference,
  place: (schema: JsonSchema) => JsonSchema,
): ContentDescriptor | Reference {
  return isReference(descriptor) ? descriptor : { ...descriptor, schema: place(descriptor.schema) }
}

/** A declared error with its schema as JSON Schema. */
function printed(error: DeclaredError, { errors }: Target): ErrorDefinition | Reference {
  return isReference(error) ? error : (errors.get(error.code) as ErrorDefinition)
}

function toError(
  error: ErrorDefinition | Reference,
  place: (schema: JsonSchema) => JsonSchema,
): ErrorDefinition | Reference {
  if (isReference(error)) return error
  const { status: _status, data, ...rest } = error
  return { ...rest, ...(data && { data: place(data) }) }
}

/** Leaves out what seed 000 has no word for: lists per relationship, and pages by key. */
function toQuery(query: QueryCapabilities): QueryCapabilities {
  const { filters, fields, pagination, ...rest } = query
  const { related: _filters, ...ownFilters } = filters ?? {}
  const { related: _fields, ...ownFields } = fields ?? {}
  const { defaultStrategy: _default, strategies, ...page } = pagination ?? {}
  const known = strategies?.filter((strategy) => strategy !== 'keyset')
  return {
    ...(filters && { filters: ownFilters }),
    ...rest,
    ...(fields && { fields: ownFields }),
    ...(pagination && { pagination: { ...(known && { strategies: known }), ...page } }),
  }
}

function pick<Source, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Pick<Source, Key> {
  return Object.fromEntries(
    keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]]),
  ) as Pick<Source, Key>
}

/** Picks the links of a function that lead to something the view shows. */
export function selectLinks(
  { registry, components }: Service,
  { target }: Contract,
  view: View,
): Target['definition']['links'] {
  const { links } = target.definition
  if (links === undefined || view === EVERYTHING) return links
  return links.filter((given) => {
    const link = resolveReference<Link>(given, components, 'links')
    const entry =
      link?.function === undefined || link.server ? undefined : registry.find(link.function)
    return entry === undefined || entry.ordered.some((one) => isVisible(one, view))
  })
}

/** Writes one function so that it can be read alone: every reference replaced, extension versions filled in. */
export function toStandaloneFunction(
  contract: Contract,
  service: Service,
  extensionVersions: ReadonlyMap<string, string>,
  view: View = EVERYTHING,
): StandaloneFunction {
  const { components } = service
  const { move, collected } = createInlineCollection(components.schemas ?? {})
  const object = toFunctionObject(contract, move, selectLinks(service, contract, view))
  const resolve = <Component>(kind: ComponentKind, values: readonly (Component | Reference)[]) =>
    values.flatMap((value) => resolveReference<Component>(value, components, kind) ?? [])
  // What stands in the function itself has been placed already.
  const describe = (value: ContentDescriptor | Reference): ContentDescriptor[] =>
    isReference(value)
      ? resolve<ContentDescriptor>('contentDescriptors', [value]).map((descriptor) => ({
          ...descriptor,
          schema: move(descriptor.schema),
        }))
      : [value]
  const { arguments: described, result, errors, tags, links, examples, extensions } = object
  const [resolved] = result ? describe(result) : []
  const placed = {
    ...(described && { arguments: described.flatMap(describe) }),
    ...(resolved && { result: resolved }),
    ...(errors && {
      errors: errors.flatMap((error) =>
        isReference(error)
          ? resolve<ErrorDefinition>('errors', [error]).map((one) => toError(one, move))
          : [error],
      ),
    }),
  }
  const definitions = collected()
  const others = contract.versions(view).filter(({ version }) => version !== object.version)
  return {
    ...object,
    ...placed,
    ...(tags && { tags: resolve('tags', tags) }),
    ...(links && { links: resolve('links', links) }),
    ...(examples && {
      examples: resolve('examplePairings', examples).map((pairing) => ({
        ...pairing,
        params: resolve('examples', pairing.params),
        ...(pairing.result && { result: resolve('examples', [pairing.result])[0] }),
      })),
    }),
    ...(extensions && {
      extensions: extensions.map((declaration) => inheritVersion(declaration, extensionVersions)),
    }),
    ...(others.length > 0 && { 'x-other-versions': others.map(({ version }) => version) }),
    ...(Object.keys(definitions).length > 0 && { definitions }),
  }
}

/** Lists the versions that function-level declarations inherit. */
export function toExtensionVersions(
  enabled: readonly { readonly urn: string; readonly version: string }[],
  servers: readonly Server[],
): ReadonlyMap<string, string> {
  const declared = servers.flatMap(({ extensions }) => extensions ?? [])
  return new Map(
    [...enabled, ...declared].flatMap(({ urn, version }) =>
      version === undefined ? [] : [[urn, version] as const],
    ),
  )
}

function inheritVersion<Declaration extends { readonly urn: string; readonly version?: string }>(
  declaration: Declaration,
  versions: ReadonlyMap<string, string>,
): Declaration {
  const version = declaration.version ?? versions.get(declaration.urn)
  return version === undefined ? declaration : { ...declaration, version }
}
