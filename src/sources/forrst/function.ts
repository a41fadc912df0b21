import {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  checkDefinition,
  type ErrorDefinition,
  type ExamplePairing,
  type ExtensionDeclaration,
  type FunctionDefinition,
  isPrerelease,
  type Reference,
  resolveReference,
  type Simulation,
  toTargetShape,
  toVisibleText,
} from '../../core/index.ts'
import { ADDITIONAL_ARGUMENTS, type FunctionObject } from '../../discovery/index.ts'
import {
  admitDigits,
  collectSchemas,
  type JsonSchema,
  moveReferences,
  to202012,
} from '../../schema/index.ts'
import { checkDeclarations } from '../../system/index.ts'
import { canonicalUrn, extensionUrn, isRecord, toReason } from '../../values/index.ts'
import { admitDigitArguments } from '../tool-spec/index.ts'

/** What runs when a described function is called. */
export type Behaviour = Pick<FunctionDefinition, 'handler' | 'dryRun' | 'resources'>

/** Gives what runs when a function is called; `input` is the schema of its arguments as the remote service means it. */
export type Behave = (object: FunctionObject, input: JsonSchema) => Behaviour

/** What became of a described function. */
export interface ReadFunction {
  /** Absent when nothing of it could be used. */
  readonly definition?: FunctionDefinition
  /** Why something of it is left out; absent when all of it is there. */
  readonly problem?: string
}

/** How much of a description is taken over, most first; what makes no sense is left out bit by bit. */
const ATTEMPTS: readonly (readonly (keyof FunctionDefinition)[])[] = [
  [],
  ['examples', 'simulations'],
  ['query', 'resources', 'links', 'extensions'],
  ['examples', 'simulations', 'query', 'resources', 'links', 'extensions'],
  [
    'examples',
    'simulations',
    'output',
    'result',
    'item',
    'query',
    'resources',
    'links',
    'extensions',
  ],
]

/**
 * Makes a definition out of a function of a discovery document, complete in itself: every reference is resolved, so
 * that it can be registered beside functions of other services.
 */
export function readFunctionObject(
  object: FunctionObject,
  components: Components,
  behave: Behave,
): ReadFunction {
  let problem: string | undefined
  for (const omitted of ATTEMPTS) {
    try {
      const whole = toDefinition(object, components, behave)
      const definition = omit(whole, omitted)
      checkDefinition(definition, { components: {}, system: false }, () =>
        toTargetShape(definition, {}, { system: false, validateResults: true }),
      )
      checkDeclarations(definition)
      return { definition, ...(problem !== undefined && { problem }) }
    } catch (thrown) {
      problem ??= toReason(thrown)
    }
  }
  return { problem: problem ?? 'it cannot be read' }
}

function toDefinition(
  object: FunctionObject,
  components: Components,
  behave: Behave,
): FunctionDefinition {
  const resolve = createResolver(components)
  const { name, version, summary, description, query, sideEffects } = object
  const described = resolve<ContentDescriptor>('contentDescriptors', object.arguments)
  const result = object.result && resolve('contentDescriptors', [object.result])[0]
  const output = result && isRecord(result.schema) ? result.schema : undefined
  const errors = resolve<ErrorDefinition>('errors', object.errors).map(({ data, ...error }) => ({
    ...error,
    ...(isRecord(data) && { data: standAlone(data, components) }),
  }))
  const simulations = listOf<Simulation>(object.simulations)
  const open = object[ADDITIONAL_ARGUMENTS] === true
  return {
    name,
    version,
    stability: toStability(object),
    ...(typeof summary === 'string' && { summary: toVisibleText(summary) }),
    ...(typeof description === 'string' && { description: toVisibleText(description) }),
    ...(object.arguments ? toInput(described, components, open) : { input: ANY_ARGUMENTS }),
    ...(output && { output: admitDigits(standAlone(output, components)) }),
    ...(result && { result: omit(result, ['schema']) }),
    ...(errors.length > 0 && { errors }),
    ...(object.tags && { tags: resolve('tags', object.tags) }),
    ...(object.links && { links: resolve('links', object.links) }),
    ...(object.examples && { examples: resolveExamples(object, components) }),
    ...(isRecord(query) && { query }),
    ...(Array.isArray(sideEffects) && { sideEffects }),
    ...(toDeprecated(object) && { deprecated: toDeprecated(object) }),
    ...(simulations.length > 0 && { simulations }),
    ...toDeclarations(object, components),
    ...(isRecord(object.externalDocs) && { externalDocs: object.externalDocs }),
    imported: true,
    ...behave({ ...object, errors }, toArgumentsSchema(described, components, open)),
  } as FunctionDefinition
}

type Resolve = <Component extends object>(
  kind: ComponentKind,
  values: readonly (Component | Reference)[] | undefined,
) => readonly Component[]

function createResolver(components: Components): Resolve {
  return (kind, values) =>
    listOf(values).map((value) => {
      const resolved = resolveReference(value, components, kind)
      if (isRecord(resolved)) return resolved as never
      throw new TypeError(`${JSON.stringify(value).slice(0, 200)} leads nowhere`)
    })
}

function resolveExamples(
  { examples }: FunctionObject,
  components: Components,
): readonly ExamplePairing[] {
  const resolve = createResolver(components)
  return resolve<ExamplePairing>('examplePairings', examples).map((pairing) => ({
    ...pairing,
    params: resolve('examples', pairing.params),
    ...(pairing.result && { result: resolve('examples', [pairing.result])[0] as object }),
  }))
}

/** A document may list no arguments; the remote service then says which there are. */
const ANY_ARGUMENTS: JsonSchema = { type: 'object', additionalProperties: true }

/** A document that lists arguments has no others, unless it says so. */
function toInput(
  described: readonly ContentDescriptor[],
  components: Components,
  open: boolean,
): Pick<FunctionDefinition, 'arguments' | 'input'> {
  const descriptors = described.map((descriptor) => ({
    ...descriptor,
    schema: admitDigitArguments(
      standAlone(isRecord(descriptor.schema) ? descriptor.schema : {}, components),
    ),
  }))
  return {
    arguments: descriptors,
    input: admitDigitArguments(toArgumentsSchema(described, components, open)),
  }
}

/** Puts the arguments of a document into one schema, as the remote service means it. */
function toArgumentsSchema(
  described: readonly ContentDescriptor[],
  components: Components,
  open: boolean,
): JsonSchema {
  const schemas = Object.fromEntries(described.map(({ name, schema }) => [name, schema]))
  const required = described.filter((descriptor) => descriptor.required).map(({ name }) => name)
  return standAlone(
    {
      type: 'object',
      properties: schemas,
      ...(required.length > 0 && { required }),
      additionalProperties: open,
    },
    components,
  )
}

/** That a function streams is said by the schema of its items; services print the declaration from that. */
function toDeclarations(
  { extensions: given }: FunctionObject,
  components: Components,
): Pick<FunctionDefinition, 'extensions' | 'item'> {
  const isStream = ({ urn }: ExtensionDeclaration) =>
    typeof urn === 'string' && canonicalUrn(urn) === STREAM
  const declared = listOf(given)
  const stream = declared.find(isStream)
  const extensions = declared.filter((one) => !isStream(one))
  const item = isRecord(stream?.['item']) ? (stream['item'] as JsonSchema) : {}
  return {
    ...(extensions.length > 0 && { extensions }),
    ...(stream && { item: admitDigits(standAlone(item, components)) }),
  }
}

const STREAM = extensionUrn('stream')

/** Takes the shared schemas a schema refers to along with it. */
function standAlone(schema: JsonSchema, { schemas = {} }: Components): JsonSchema {
  const named = Object.entries(collectSchemas([schema], isRecord(schemas) ? schemas : {}))
  const place = (name: string) => `#/$defs/${name}`
  const moved = to202012(moveReferences(schema, place) as JsonSchema)
  if (named.length === 0) return moved
  const definitions = named.map(([name, definition]) => [
    name,
    to202012(moveReferences(definition, place) as JsonSchema),
  ])
  return { ...moved, $defs: Object.fromEntries(definitions) }
}

function toStability({ version, stability }: FunctionObject): FunctionDefinition['stability'] {
  if (stability === 'experimental' && !isPrerelease(version)) return 'experimental'
  return undefined
}

function toDeprecated({ deprecated, stability }: FunctionObject): FunctionDefinition['deprecated'] {
  if (isRecord(deprecated)) return deprecated
  return stability === 'deprecated' ? {} : undefined
}

function listOf<Item>(values: readonly Item[] | undefined): readonly Item[] {
  const listed: readonly Item[] = Array.isArray(values) ? values : []
  return listed.filter((value) => isRecord(value))
}

function omit<Source extends object>(source: Source, members: readonly PropertyKey[]): Source {
  return Object.fromEntries(
    Object.entries(source).filter(([key, value]) => !members.includes(key) && value !== undefined),
  ) as Source
}
