import { asList, entriesOf } from '../../values/index.ts'
import type { FieldType } from '../tool-spec/index.ts'
import { asFlag, asNode, asText, type Node, read, type Warn, warnUnresolved } from './node.ts'
import type { Resolver } from './resolve.ts'

/** Keywords that say something we cannot. */
export const LOST_KEYWORDS: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'propertyNames',
  'contains',
  'minContains',
  'maxContains',
  'prefixItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
  '$recursiveRef',
  'minProperties',
  'maxProperties',
  'contentSchema',
])

/** Keywords that are carried over by name. */
export const KEPT_KEYWORDS: ReadonlySet<string> = new Set([
  'description',
  'title',
  'format',
  'default',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'discriminator',
  'x-ms-discriminator-value',
  'contentEncoding',
  'contentMediaType',
])

const TYPES = new Map<string, FieldType>([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
  ['array', 'array'],
  ['object', 'object'],
  // Not JSON Schema, but written in real documents.
  ['file', 'string'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['text', 'string'],
  ['date', 'string'],
  ['datetime', 'string'],
  ['date-time', 'string'],
  ['uuid', 'string'],
  ['list', 'array'],
  ['map', 'object'],
])

/** Reads `type` in all its spellings. */
export function typesOf(node: unknown): {
  readonly types: FieldType[]
  readonly nullable: boolean
  readonly odd?: string
} {
  const given = read(node, 'type')
  const names = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map((name) =>
    String(asText(name) ?? '').toLowerCase(),
  )
  const types = names.flatMap((name) => TYPES.get(name) ?? [])
  const odd = names.find((name) => !TYPES.has(name) && !['null', 'any', ''].includes(name))
  const nullable =
    names.includes('null') || asFlag(read(node, 'nullable')) || asFlag(read(node, 'x-nullable'))
  const simple = types.includes('number') ? types.filter((type) => type !== 'integer') : types
  return {
    types: [...new Set(simple)],
    nullable,
    ...(odd !== undefined && { odd: odd.slice(0, 40) }),
  }
}

/** The schemas on the way from the root to here; meeting one again is a cycle. */
export interface Trail {
  readonly node: object
  readonly above: Trail | undefined
}

/** One schema with references followed and `allOf` merged: what is left is one level of keywords. */
export interface Flat {
  /** Types without null; empty when the schema names none. */
  types: FieldType[]
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

/** What flattening needs to know. */
export interface FlattenContext {
  readonly resolver: Resolver
  readonly warn: Warn
  /** In 3.1 and later the keywords beside `$ref` count. */
  readonly refSiblings: boolean
  /** Schemas looked at so far; stops documents that explode. */
  readonly work: { steps: number }
}

/** Flattens a schema one level deep. */
export function flattenSchema(
  schema: unknown,
  trail: Trail | undefined,
  context: FlattenContext,
  place: string,
): Flat {
  const flat: Flat = {
    types: [],
    nullable: false,
    keywords: {},
    properties: new Map(),
    required: new Set(),
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
  collect(schema, flat, trail, { ...context, place, depth: 0, above: trail })
  return flat
}

/** Flattens a schema that has neither structure nor composition, as most have, without copying it. */
export function flattenLeaf(schema: unknown, trail: Trail | undefined): Flat | undefined {
  const node = asNode(schema)
  if (node === undefined) return undefined
  for (const key in node) {
    if (key === '$ref' || key === 'allOf' || STRUCTURE.has(key) || LOST_KEYWORDS.has(key))
      return undefined
  }
  const { types, nullable, odd } = typesOf(node)
  if (odd !== undefined) return undefined
  return {
    types,
    nullable: nullable || asList(node['enum']).includes(null),
    keywords: node,
    properties: NO_PROPERTIES,
    required: NO_NAMES,
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

interface Collecting extends FlattenContext {
  readonly place: string
  readonly depth: number
  /** The trail that led to the whole schema. */
  readonly above: Trail | undefined
}

const MAX_COMPOSITION = 40
const MAX_STEPS = 50_000

function collect(schema: unknown, flat: Flat, trail: Trail | undefined, context: Collecting): void {
  const { resolver, warn, place, work } = context
  work.steps += 1
  if (context.depth > MAX_COMPOSITION || work.steps > MAX_STEPS) {
    warn('W101', 'the schema is too deeply composed; the rest of it is ignored', place)
    return
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  const resolved = resolver.resolve(schema)
  if (!resolved.found) {
    flat.dangling = true
    warnUnresolved(warn, resolved, place)
    overlay(schema as Node, flat)
    return
  }
  const node = asNode(resolved.node)
  flat.name = resolved.name ?? flat.name
  if (node === undefined) return
  if (isOn(trail, node) && !isOn(context.above, node)) {
    warn('W102', 'a schema that is composed of itself is read once', place)
    return
  }
  if (isOn(context.above, node)) {
    flat.cycle = resolved.name ?? 'the same type'
    if (flat.types.length === 0) flat.types = typesOf(node).types
    return
  }
  const here: Trail = { node, above: trail }
  flat.trail = { node, above: flat.trail }
  flat.root ??= node
  const below = { ...context, depth: context.depth + 1 }
  for (const member of asList(read(node, 'allOf'))) collect(member, flat, here, below)
  collectOwn(node, flat, context)
  if (node !== schema) overlaySiblings(schema as Node, flat, here, context)
}

/** Keywords beside a `$ref`: in 3.1 they count in full, before only what every tool honours. */
function overlaySiblings(holder: Node, flat: Flat, trail: Trail, context: Collecting): void {
  if (Object.keys(holder).length === 1) return
  if (!context.refSiblings) {
    overlay(holder, flat)
    return
  }
  const { $ref: _, ...rest } = holder
  for (const member of asList(rest['allOf'])) {
    collect(member, flat, trail, { ...context, depth: context.depth + 1 })
  }
  collectOwn(rest, flat, context)
}

const OVERLAID = ['description', 'title', 'default', 'example', 'deprecated', 'readOnly']

function overlay(holder: Node, flat: Flat): void {
  for (const key of OVERLAID) {
    if (Object.hasOwn(holder, key)) flat.keywords[key] = holder[key]
  }
  if (asFlag(read(holder, 'nullable')) || asFlag(read(holder, 'x-nullable'))) flat.nullable = true
}

function collectOwn(node: Node, flat: Flat, context: Collecting): void {
  const { types, nullable, odd } = typesOf(node)
  if (types.length > 0) flat.types = types
  if (nullable) flat.nullable = true
  if (odd !== undefined)
    context.warn('W101', `the type "${odd}" is unknown; any value is taken`, context.place)
  for (const [key, value] of Object.entries(node)) {
    const handle = STRUCTURE.get(key)
    if (handle) handle(value, flat, context)
    else if (LOST_KEYWORDS.has(key))
      context.warn('W101', `the keyword "${key}" is ignored`, context.place)
    else if (KEPT_KEYWORDS.has(key) && value !== undefined) flat.keywords[key] = value
  }
  flat.nullable ||= asList(node['enum']).includes(null)
}

type Handler = (value: unknown, flat: Flat, context: Collecting) => void

const STRUCTURE = new Map<string, Handler>([
  [
    'properties',
    (value, flat) => {
      for (const [name, schema] of entriesOf(value)) {
        const known = flat.properties.get(name) ?? []
        if (!known.includes(schema)) flat.properties.set(name, [...known, schema])
      }
    },
  ],
  [
    'required',
    (value, flat) => {
      for (const name of asList(value)) flat.required.add(asText(name) ?? '')
    },
  ],
  [
    'items',
    (value, flat, context) => {
      if (!Array.isArray(value)) flat.items = value
      else
        context.warn('W101', 'a list with one schema per place takes any elements', context.place)
    },
  ],
  [
    'additionalProperties',
    (value, flat) => {
      flat.additional = value
    },
  ],
  ['oneOf', addVariants],
  ['anyOf', addVariants],
])

function addVariants(value: unknown, flat: Flat): void {
  const members = asList(value).filter((member) => !isNullSchema(member))
  if (members.length < asList(value).length) flat.nullable = true
  if (members.length > 0) flat.variants.push(members)
}

function isNullSchema(schema: unknown): boolean {
  if (read(schema, 'type') === 'null') return true
  const values = read(schema, 'enum')
  if (Array.isArray(values) && values.length === 1 && values[0] === null) return true
  return (
    asNode(schema) !== undefined &&
    Object.hasOwn(schema as Node, 'const') &&
    read(schema, 'const') === null
  )
}

function isOn(trail: Trail | undefined, node: object): boolean {
  for (let at = trail; at; at = at.above) if (at.node === node) return true
  return false
}
