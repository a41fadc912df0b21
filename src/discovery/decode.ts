import {
  type Components,
  type ContentDescriptor,
  type Deprecated,
  type ErrorDefinition,
  type ExamplePairing,
  type ExtensionDeclaration,
  type ExternalDocs,
  type Info,
  isReference,
  type Link,
  type QueryCapabilities,
  type Reference,
  type Server,
  type Simulation,
  type Tag,
} from '../core/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import { isList, isRecord } from '../values/index.ts'

/** A function as the discovery document prints it. */
export interface FunctionObject {
  readonly name: string
  readonly version: string
  readonly stability: 'experimental' | 'stable' | 'deprecated'
  readonly summary?: string
  readonly description?: string
  readonly arguments?: readonly (ContentDescriptor | Reference)[]
  readonly result?: ContentDescriptor | Reference
  readonly errors?: readonly (ErrorDefinition | Reference)[]
  readonly tags?: readonly (Tag | Reference)[]
  readonly links?: readonly (Link | Reference)[]
  readonly examples?: readonly (ExamplePairing | Reference)[]
  readonly query?: QueryCapabilities
  readonly sideEffects?: readonly string[]
  readonly deprecated?: Deprecated
  readonly discoverable?: boolean
  readonly simulations?: readonly Simulation[]
  readonly extensions?: readonly ExtensionDeclaration[]
  readonly externalDocs?: ExternalDocs
  readonly 'x-additional-arguments'?: boolean
  readonly 'x-required-scopes'?: readonly string[]
}

/** One function described alone. */
export interface StandaloneFunction extends FunctionObject {
  /** The other versions there are; seed 000 has no word for it. */
  readonly 'x-other-versions'?: readonly string[]
  /** Schemas that refer to themselves. */
  readonly definitions?: Readonly<Record<string, JsonSchema>>
}

/** True for a function that takes further arguments than those listed; seed 000 has no word for it. */
export const ADDITIONAL_ARGUMENTS = 'x-additional-arguments'

/** The scopes that callers of a function need; seed 000 has no word for them. */
export const REQUIRED_SCOPES = 'x-required-scopes'

/** The description of a whole service. */
export interface DiscoveryDocument {
  readonly forrst: string
  readonly discovery: string
  readonly info: Info
  readonly servers?: readonly Server[]
  readonly functions: readonly FunctionObject[]
  readonly components?: Components
}

/** Hears of a member that was left out: where it stands, and what it should have been. */
export type OnLeftOut = (place: string, expected: string) => void

/** Reads the parts of a discovery document from outside; members of the wrong type are left out. */
export function decodeDocument(document: object, onLeftOut: OnLeftOut = IGNORE): DiscoveryDocument {
  return DOCUMENT(document, '', onLeftOut) as DiscoveryDocument
}

/** Reads one function of a discovery document from outside; members of the wrong type are left out. */
export function decodeFunctionObject(
  object: object,
  onLeftOut: OnLeftOut = IGNORE,
): FunctionObject | undefined {
  return FUNCTION(object, '', onLeftOut) as FunctionObject | undefined
}

/** Reads the components of a discovery document from outside; members of the wrong type are left out. */
export function decodeComponents(components: unknown, onLeftOut: OnLeftOut = IGNORE): Components {
  return COMPONENTS(components, 'components', onLeftOut) ?? {}
}

const IGNORE: OnLeftOut = () => undefined

/** Gives a value that is of its type as far as it goes; undefined when nothing of it can be used. */
type Read = (value: unknown, place: string, onLeftOut: OnLeftOut) => unknown

type Members = Readonly<Record<string, Read>>

function only(expected: string, accepts: (value: unknown) => boolean): Read {
  return (value, place, onLeftOut) => {
    if (accepts(value)) return value
    onLeftOut(place, expected)
    return undefined
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const text = only('a text', isText)
const flag = only('true or false', (value) => typeof value === 'boolean')
const figure = only('a number', (value) => typeof value === 'number')
// All or nothing: a list of effects that lost its only member would say that a function changes nothing.
const texts = only('a list of texts', (value) => isList(value) && value.every(isText))
const record = only('an object', isRecord)
const schema = only('a schema', (value) => isRecord(value) || typeof value === 'boolean')

/** Leaves out the items that cannot be used. */
function listOf(item: Read): Read {
  return (value, place, onLeftOut) => {
    if (!isList(value)) return only('a list', isList)(value, place, onLeftOut)
    return value.flatMap((one, index) => item(one, `${place}[${index}]`, onLeftOut) ?? [])
  }
}

/** Leaves out the whole list when an item cannot be used, because their positions mean something. */
function rowOf(item: Read): Read {
  return (value, place, onLeftOut) => {
    const read = listOf(item)(value, place, onLeftOut)
    return isList(read) && isList(value) && read.length === value.length ? read : undefined
  }
}

function mapOf(member: Read): Read {
  return (value, place, onLeftOut) => {
    if (!isRecord(value)) return record(value, place, onLeftOut)
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, one]) => {
        const read = member(one, `${place}.${key}`, onLeftOut)
        return read === undefined ? [] : [[key, read]]
      }),
    )
  }
}

interface ShapeOptions {
  /** A thing without these is none. */
  readonly needs?: readonly string[]
  /** What stands for a member that is missing. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

/** Unknown members stay as they are. */
function shape(members: Members, { needs = [], defaults = {} }: ShapeOptions = {}): Read {
  return (value, place, onLeftOut) => {
    if (!isRecord(value)) return record(value, place, onLeftOut)
    const join = place === '' ? '' : `${place}.`
    const kept = Object.fromEntries(
      Object.entries(value).flatMap(([key, one]) => {
        const known = Object.hasOwn(members, key) ? members[key] : undefined
        const read = known === undefined ? one : known(one, `${join}${key}`, onLeftOut)
        return read === undefined ? [] : [[key, read]]
      }),
    )
    const missing = needs.find((key) => !Object.hasOwn(kept, key))
    if (missing === undefined) return { ...defaults, ...kept }
    if (!Object.hasOwn(value, missing)) onLeftOut(`${join}${missing}`, 'there')
    return undefined
  }
}

function orReference(read: Read): Read {
  return (value, place, onLeftOut) => (isReference(value) ? value : read(value, place, onLeftOut))
}

const DOCS = shape({ url: text, description: text }, { needs: ['url'] })
const WORDS: Members = { name: text, summary: text, description: text }
const DEPRECATED = shape({ reason: text, sunset: text })
const DECLARATION = shape({ urn: text, version: text }, { needs: ['urn'] })
const SERVER = shape(
  {
    ...WORDS,
    url: text,
    variables: mapOf(
      shape({ default: text, enum: texts, description: text }, { needs: ['default'] }),
    ),
    extensions: listOf(DECLARATION),
  } satisfies Partial<Record<keyof Server, Read>>,
  { needs: ['url'], defaults: { name: '' } },
)
const INFO = shape(
  {
    title: text,
    version: text,
    description: text,
    termsOfService: text,
    contact: shape({ name: text, url: text, email: text }),
    license: shape({ name: text, url: text }),
  } satisfies Record<keyof Info, Read>,
  { defaults: { title: '', version: '' } },
)

const CONTENT: Members = { ...WORDS, schema, required: flag, deprecated: flag }
const RESULT = shape(CONTENT, { defaults: { name: 'result', schema: {} } })
const DESCRIPTOR = shape(CONTENT, { needs: ['name'], defaults: { schema: {} } })
const ERROR = shape(
  { code: text, message: text, data: schema, status: figure },
  { needs: ['code'], defaults: { message: '' } },
)
const EXAMPLE = shape({ ...WORDS, externalValue: text })
const PAIRING = shape(
  { ...WORDS, params: rowOf(orReference(EXAMPLE)), result: orReference(EXAMPLE) },
  { needs: ['name', 'params'] },
)
const LINK = shape(
  { ...WORDS, function: text, params: record, server: SERVER },
  { needs: ['name'] },
)
const TAG = shape({ ...WORDS, externalDocs: DOCS }, { needs: ['name'] })
const SIMULATION = shape(
  {
    name: text,
    description: text,
    input: record,
    error: shape({ code: text, message: text, data: record }, { needs: ['code', 'message'] }),
    metadata: record,
  },
  { needs: ['name', 'input'] },
)
const NAMES_BY_RELATION = mapOf(texts)
const QUERY = shape({
  filters: shape({
    allowed: texts,
    related: NAMES_BY_RELATION,
    operators: texts,
    maxConditions: figure,
  }),
  sorts: shape({
    allowed: texts,
    maxFields: figure,
    default: shape({ field: text, direction: text }, { needs: ['field', 'direction'] }),
  }),
  fields: shape({ allowed: texts, related: NAMES_BY_RELATION, default: texts }),
  relationships: shape({ allowed: texts, maxDepth: figure }),
  pagination: shape({
    strategies: texts,
    defaultStrategy: text,
    defaultSize: figure,
    maxSize: figure,
  }),
})

const FUNCTION = shape(
  {
    name: text,
    version: text,
    stability: text,
    summary: text,
    description: text,
    arguments: listOf(orReference(DESCRIPTOR)),
    result: orReference(RESULT),
    errors: listOf(orReference(ERROR)),
    tags: listOf(orReference(TAG)),
    links: listOf(orReference(LINK)),
    examples: listOf(orReference(PAIRING)),
    query: QUERY,
    sideEffects: texts,
    deprecated: DEPRECATED,
    discoverable: flag,
    simulations: listOf(SIMULATION),
    extensions: listOf(DECLARATION),
    externalDocs: DOCS,
    'x-additional-arguments': flag,
    'x-required-scopes': texts,
  } satisfies Record<keyof FunctionObject, Read>,
  { needs: ['name', 'version'] },
)

const RESOURCE = shape(
  {
    type: text,
    description: text,
    attributes: mapOf(
      shape({ schema, description: text, filterOperators: texts, deprecated: DEPRECATED }),
    ),
    relationships: mapOf(shape({ resource: text, cardinality: text, nested: texts })),
    meta: record,
  },
  { needs: ['type', 'attributes'] },
)

const COMPONENTS = shape({
  schemas: mapOf(schema),
  contentDescriptors: mapOf(DESCRIPTOR),
  errors: mapOf(ERROR),
  examples: mapOf(EXAMPLE),
  examplePairings: mapOf(PAIRING),
  links: mapOf(LINK),
  tags: mapOf(TAG),
  resources: mapOf(RESOURCE),
} satisfies Record<keyof Components, Read>)

const DOCUMENT = shape(
  {
    forrst: text,
    discovery: text,
    info: INFO,
    servers: listOf(SERVER),
    functions: listOf(FUNCTION),
    components: COMPONENTS,
  } satisfies Record<keyof DiscoveryDocument, Read>,
  { defaults: { forrst: '', discovery: '', info: { title: '', version: '' }, functions: [] } },
)
