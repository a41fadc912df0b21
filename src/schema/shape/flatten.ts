import { asList, entriesOf, isRecord } from '../../values/index.ts'
import type { Resolver, UnresolvedReference } from '../reference/document.ts'
import { isReference, keywordSet, withoutReference } from '../walk/index.ts'

/** The types of JSON Schema but null. */
export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

/** Keywords that flattening loses. */
const LOST = keywordSet(
  'not if then else patternProperties dependentSchemas dependentRequired dependencies propertyNames contains minContains maxContains prefixItems unevaluatedProperties unevaluatedItems $dynamicRef $recursiveRef minProperties maxProperties contentSchema',
)

/** Keywords that are carried over by name. */
const KEPT = keywordSet(
  'description title format default enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems example examples deprecated readOnly writeOnly discriminator x-ms-discriminator-value contentEncoding contentMediaType',
)

/** How types are spelled: as in JSON Schema, and as in real documents. */
const SPELLINGS: Readonly<Record<SchemaType, string>> = {
  string: 'string file text date datetime date-time uuid',
  number: 'number float double',
  integer: 'integer int long',
  boolean: 'boolean bool',
  array: 'array list',
  object: 'object map',
}

const TYPES: ReadonlyMap<string, SchemaType> = new Map(
  Object.entries(SPELLINGS).flatMap(([type, names]) =>
    names.split(' ').map((name) => [name, type as SchemaType] as const),
  ),
)

/** Reads `type` in all its spellings. */
function typesOf(node: Node): {
  readonly types: SchemaType[]
  readonly nullable: boolean
  /** A type that does not exist. */
  readonly odd?: string
} {
  const { type } = node
  const nullable = isNullable(node)
  // Nearly every schema is one of these two.
  if (type === undefined) return { types: [], nullable }
  const known = typeof type === 'string' ? TYPES.get(type) : undefined
  if (known !== undefined) return { types: [known], nullable }
  const names = [type].flat().map((name) => (isScalar(name) ? String(name).toLowerCase() : ''))
  const types = names.flatMap((name) => TYPES.get(name) ?? [])
  const odd = names.find((name) => !TYPES.has(name) && !['null', 'any', ''].includes(name))
  const simple = types.includes('number') ? types.filter((one) => one !== 'integer') : types
  return {
    types: [...new Set(simple)],
    nullable: nullable || names.includes('null'),
    ...(odd !== undefined && { odd: odd.slice(0, 40) }),
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** OpenAPI 3.0 and dialects of Swagger say so beside the type; careless converters write "true". */
function isNullable({ nullable, 'x-nullable': old }: Node): boolean {
  return nullable === true || old === true || nullable === 'true' || old === 'true'
}

type Node = Record<string, unknown>

/** The schemas on the way from the root to here; meeting one again is a cycle. */
export interface Trail {
  readonly node: object
  readonly above: Trail | undefined
}

/** One schema with references followed and `allOf` merged: what is left is one level of keywords. */
export interface Flat {
  /** Types without null; empty when the schema names none. */
  types: SchemaType[]
  nullable: boolean
  /** Merged keywords that are neither structure nor composition. */
  readonly keywords: Record<string, unknown>
  /** Each property with all schemas it must satisfy. */
  readonly properties: Map<string, unknown[]>
  readonly required: Set<string>
  items: unknown
  /** `additionalProperties` as declared. */
  additional: unknown
  /** Groups of `oneOf`/`anyOf` members. */
  readonly variants: unknown[][]
  /** Name of the innermost reference, for descriptions. */
  name: string | undefined
  /** Set when the schema contains itself: the name of what repeats. */
  cycle: string | undefined
  /** The schema itself, references followed. */
  root: object | undefined
  /** True when known properties are not all: it must be possible to send others. */
  open: boolean
  /** True when a reference of it leads nowhere. */
  dangling: boolean
  /** For the children: everything visited here and above. */
  trail: Trail | undefined
}

/** What flattening needs to know, and whom it tells what gets lost. */
export interface FlattenContext {
  readonly resolver: Resolver
  readonly onLost: (message: string, place: string) => void
  /** Hears of a schema that contains itself. */
  readonly onCycle: (message: string, place: string) => void
  readonly onUnresolved: (failed: UnresolvedReference, place: string) => void
  /** In 3.1 and later the keywords beside `$ref` count. */
  readonly refSiblings: boolean
  /** Schemas looked at so far; stops documents that explode. */
  readonly work: { steps: number }
  /** Where the schema stands, for messages. */
  readonly place: string
  /** The schemas on the way to it. */
  readonly trail: Trail | undefined
}

/** Flattens a schema one level deep. */
export function flattenSchema(schema: unknown, context: FlattenContext): Flat {
  const flat = startFlat(context.trail)
  collect(schema, flat, context.trail, { ...context, depth: 0 })
  return flat
}

/** Begins with nothing, or with a schema that has no members and never will. */
function startFlat(
  trail: Trail | undefined,
  leaf?: Pick<Flat, 'types' | 'nullable' | 'keywords'>,
): Flat {
  return {
    types: leaf?.types ?? [],
    nullable: leaf?.nullable ?? false,
    keywords: leaf?.keywords ?? {},
    properties: leaf ? NO_PROPERTIES : new Map<string, unknown[]>(),
    required: leaf ? NO_NAMES : new Set<string>(),
    items: undefined,
    additional: undefined,
    variants: [],
    name: undefined,
    cycle: undefined,
    root: undefined,
    open: false,
    dangling: false,
    trail,
  }
}

const NO_PROPERTIES: Map<string, unknown[]> = new Map()
const NO_NAMES: Set<string> = new Set()

/** Flattens a schema that has neither structure nor composition, as most have, without copying it. */
export function flattenLeaf(schema: unknown, trail: Trail | undefined): Flat | undefined {
  if (!isRecord(schema)) return undefined
  for (const key in schema) {
    if (key === '$ref' || key === 'allOf' || STRUCTURE.has(key) || LOST.has(key)) return undefined
  }
  const { types, nullable, odd } = typesOf(schema)
  if (odd !== undefined) return undefined
  const hasNull = nullable || asList(schema['enum']).includes(null)
  return startFlat(trail, { types, nullable: hasNull, keywords: schema })
}

interface Collecting extends FlattenContext {
  readonly depth: number
}

const MAX_COMPOSITION = 40
const MAX_STEPS = 50_000

function collect(schema: unknown, flat: Flat, trail: Trail | undefined, context: Collecting): void {
  const { resolver, place, work } = context
  work.steps += 1
  if (context.depth > MAX_COMPOSITION || work.steps > MAX_STEPS) {
    context.onLost('the schema is too deeply composed; the rest of it is ignored', place)
    return
  }
  if (!isRecord(schema)) return
  const resolved = resolver.resolve(schema)
  if (!resolved.found) {
    flat.dangling = true
    context.onUnresolved(resolved, place)
    overlay(schema, flat)
    return
  }
  const { node } = resolved
  flat.name = resolved.name ?? flat.name
  if (!isRecord(node)) return
  if (isOn(context.trail, node)) {
    flat.cycle = resolved.name ?? 'the same type'
    if (flat.types.length === 0) flat.types = typesOf(node).types
    return
  }
  if (isOn(trail, node)) {
    context.onCycle('a schema that is composed of itself is read once', place)
    return
  }
  const here: Trail = { node, above: trail }
  flat.trail = { node, above: flat.trail }
  flat.root ??= node
  collectParts(node, flat, here, context)
  if (node !== schema) overlaySiblings(schema, flat, here, context)
}

function collectParts(node: Node, flat: Flat, trail: Trail, context: Collecting): void {
  const below = { ...context, depth: context.depth + 1 }
  for (const member of asList(node['allOf'])) collect(member, flat, trail, below)
  collectOwn(node, flat, context)
}

/** Keywords beside a reference: in 3.1 they count in full, before only what every tool honours. */
function overlaySiblings(holder: Node, flat: Flat, trail: Trail, context: Collecting): void {
  if (Object.keys(holder).length === 1) return
  if (context.refSiblings) collectParts(withoutReference(holder), flat, trail, context)
  else overlay(holder, flat)
}

const OVERLAID = ['description', 'title', 'default', 'example', 'deprecated', 'readOnly']

function overlay(holder: Node, flat: Flat): void {
  for (const key of OVERLAID) {
    if (Object.hasOwn(holder, key)) flat.keywords[key] = holder[key]
  }
  if (isNullable(holder)) flat.nullable = true
}

function collectOwn(node: Node, flat: Flat, context: Collecting): void {
  const { types, nullable, odd } = typesOf(node)
  if (types.length > 0) flat.types = types
  if (nullable) flat.nullable = true
  if (odd !== undefined)
    context.onLost(`the type "${odd}" is unknown; any value is taken`, context.place)
  for (const [key, value] of Object.entries(node)) {
    const handle = STRUCTURE.get(key)
    if (handle) handle(value, flat, context)
    else if (LOST.has(key)) context.onLost(`the keyword "${key}" is ignored`, context.place)
    else if (KEPT.has(key) && value !== undefined) flat.keywords[key] = value
  }
  flat.nullable ||= asList(node['enum']).includes(null)
}

type Handler = (value: unknown, flat: Flat, context: Collecting) => void

const STRUCTURE = new Map<string, Handler>(
  Object.entries<Handler>({
    properties(value, flat) {
      for (const [name, schema] of entriesOf(value)) {
        const known = flat.properties.get(name) ?? []
        if (!known.includes(schema)) flat.properties.set(name, [...known, schema])
      }
    },
    required(value, flat) {
      for (const name of asList(value)) flat.required.add(isScalar(name) ? String(name) : '')
    },
    items(value, flat, context) {
      if (!Array.isArray(value)) flat.items = value
      else context.onLost('a list with one schema per place takes any elements', context.place)
    },
    additionalProperties(value, flat) {
      flat.additional = value
    },
    oneOf: addVariants,
    anyOf: addVariants,
  }),
)

function addVariants(value: unknown, flat: Flat): void {
  const members = asList(value).filter((member) => !isNullSchema(member))
  if (members.length < asList(value).length) flat.nullable = true
  if (members.length > 0) flat.variants.push(members)
}

function isNullSchema(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  const { type, enum: values } = schema
  const isOnlyNull = Array.isArray(values) && values.length === 1 && values[0] === null
  return type === 'null' || isOnlyNull || schema['const'] === null
}

function isOn(trail: Trail | undefined, node: object): boolean {
  for (let at = trail; at; at = at.above) if (at.node === node) return true
  return false
}

/** Tells whether two schemas accept the same, as far as a look at one level can tell. */
export function isSameSchema(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isRecord(a) || !isRecord(b)) return false
  if (isReference(a) || isReference(b)) return a['$ref'] === b['$ref']
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length || keys.length === 0) return false
  return keys.every((key) => {
    const [one, other] = [a[key], b[key]]
    if (DESCRIBING.has(key) || one === other) return true
    if (!Array.isArray(one) || !Array.isArray(other)) return false
    return one.length === other.length && one.every((entry, index) => entry === other[index])
  })
}

/** Keywords that do not change what a schema accepts. */
const DESCRIBING = keywordSet('description title example examples')
