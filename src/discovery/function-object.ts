import {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  type ErrorDefinition,
  isReference,
  type QueryCapabilities,
  type Reference,
  resolveReference,
  type Server,
  type Target,
} from '../core/index.ts'
import { inlineReferences, type JsonSchema, toDraft7 } from '../schema/index.ts'
import { asRecord, extensionUrn, isRecord } from '../values/index.ts'
import { ADDITIONAL_ARGUMENTS, type FunctionObject, REQUIRED_SCOPES } from './decode.ts'

/** Writes one version of a function the way seed 000 prints it; `move` places schema references. */
export function toFunctionObject(
  target: Target,
  move: (schema: JsonSchema) => JsonSchema,
  links: Target['definition']['links'] = target.definition.links,
): FunctionObject {
  const { definition } = target
  const place = (schema: JsonSchema): JsonSchema => toDraft7(move(schema))
  const described = toArguments(target, place)
  const result = toResult(target, place)
  const query = definition.query && toQuery(definition.query)
  const extensions = toDeclarations(target, place)
  return {
    name: target.name,
    version: target.version,
    stability: toStability(target),
    ...pick(definition, ['summary', 'description', 'tags']),
    ...(described && { arguments: described }),
    ...(!namesEveryArgument(target.inputSchema) && { [ADDITIONAL_ARGUMENTS]: true }),
    ...(result && { result }),
    ...(definition.errors && { errors: definition.errors.map((error) => toError(error, place)) }),
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
  { definition: { extensions }, itemSchema, streams }: Target,
  place: (schema: JsonSchema) => JsonSchema,
): FunctionObject['extensions'] {
  const declared = extensions?.some(({ urn }) => urn === STREAM) === true
  if (!streams || itemSchema === undefined || declared) return extensions
  return [...(extensions ?? []), { urn: STREAM, item: place(itemSchema) }]
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
  { definition, outputSchema }: Target,
  place: (schema: JsonSchema) => JsonSchema,
): ContentDescriptor | Reference | undefined {
  if (definition.result !== undefined && isReference(definition.result)) return definition.result
  if (outputSchema === undefined) return undefined
  return { name: 'result', ...definition.result, schema: place(outputSchema) }
}

function placeDescriptor(
  descriptor: ContentDescriptor | Reference,
  place: (schema: JsonSchema) => JsonSchema,
): ContentDescriptor | Reference {
  return isReference(descriptor) ? descriptor : { ...descriptor, schema: place(descriptor.schema) }
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

/** Writes one function so that it can be read alone: every reference replaced, extension versions filled in. */
export function toStandaloneFunction(
  target: Target,
  components: Components,
  extensionVersions: ReadonlyMap<string, string>,
  shownLinks: Target['definition']['links'] = target.definition.links,
): FunctionObject {
  const schemas = components.schemas ?? {}
  const inline = (schema: JsonSchema) => inlineReferences(schema, schemas)
  const object = toFunctionObject(target, inline, shownLinks)
  const resolve = <Component>(kind: ComponentKind, values: readonly (Component | Reference)[]) =>
    values.flatMap((value) => resolveReference<Component>(value, components, kind) ?? [])
  const { arguments: described, result, errors, tags, links, examples, extensions } = object
  return {
    ...object,
    ...(described && {
      arguments: resolve('contentDescriptors', described).map((descriptor) => ({
        ...descriptor,
        schema: inlineReferences(descriptor.schema, schemas),
      })),
    }),
    ...(result && inlineResult(result, components)),
    ...(errors && {
      errors: resolve('errors', errors).map(({ status: _status, data, ...error }) => ({
        ...error,
        ...(data && { data: inlineReferences(data, schemas) }),
      })),
    }),
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

function inlineResult(
  result: NonNullable<FunctionObject['result']>,
  components: Components,
): Pick<FunctionObject, 'result'> {
  const descriptor = resolveReference(result, components, 'contentDescriptors')
  if (descriptor === undefined) return {}
  const schema = inlineReferences(descriptor.schema, components.schemas ?? {})
  return { result: { ...descriptor, schema } }
}

function inheritVersion<Declaration extends { readonly urn: string; readonly version?: string }>(
  declaration: Declaration,
  versions: ReadonlyMap<string, string>,
): Declaration {
  const version = declaration.version ?? versions.get(declaration.urn)
  return version === undefined ? declaration : { ...declaration, version }
}
