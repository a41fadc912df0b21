import {
  asList,
  createRecord,
  entriesOf,
  formatPointer,
  isRecord,
  toText,
} from '../../values/index.ts'
import {
  addressOf,
  decodeFragment,
  keywordSet,
  MAX_STEPS,
  referenceLabel,
  resolveLocal,
} from '../walk/index.ts'

/** A schema with its place; `base` is the schema whose own definitions it may refer to. */
export interface SchemaAt {
  readonly schema: unknown
  readonly pointer: string
  readonly base?: unknown
}

/** A schema read as far as it is compared: references followed, `allOf` joined, null set apart. */
export interface EffectiveSchema {
  readonly pointer: string
  /** Undefined allows every type. */
  readonly types: ReadonlySet<string> | undefined
  readonly isNullable: boolean
  readonly values: readonly unknown[] | undefined
  readonly properties: ReadonlyMap<string, SchemaAt>
  readonly required: ReadonlySet<string>
  /** False when other members are refused; a schema when they are described. */
  readonly additional: boolean | SchemaAt
  readonly items: SchemaAt | undefined
  /** Alternatives of `oneOf` and `anyOf`. */
  readonly choices: readonly SchemaAt[]
  /** Keywords that are compared by themselves. */
  readonly keywords: Readonly<Record<string, unknown>>
}

/** Where a reference led: the schema there, and what to call the place. */
export interface FollowedSchema extends SchemaAt {
  /** True when a reference was followed, so that the place may come up again. */
  readonly isShared: boolean
}

const MAX_PARTS = 64

/** Follows references inside the document; what leads nowhere or elsewhere stays as it is. */
export function followSchema(at: SchemaAt, document: unknown): FollowedSchema {
  let current = at
  let isShared = false
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const ref = addressOf(current.schema)
    if (ref === undefined) break
    const found = resolveLocal(document, ref)
    const own = found === undefined ? resolveLocal(current.base, ref) : undefined
    if (found === undefined && own === undefined) break
    isShared = true
    current =
      found === undefined
        ? { ...current, schema: own }
        : { schema: found, pointer: decodeFragment(ref.slice(1)), base: found }
  }
  return { ...current, isShared }
}

/** Reads a schema, with everything that must hold beside it, into one. */
export function readEffective(at: SchemaAt, document: unknown): EffectiveSchema {
  const parts = collectParts(at, document)
  const properties = new Map<string, SchemaAt>()
  const required = new Set<string>()
  const keywords = createRecord<unknown>()
  const choices: SchemaAt[] = []
  let types: ReadonlySet<string> | undefined
  let isNullable = true
  let values: readonly unknown[] | undefined
  let additional: boolean | SchemaAt = true
  let items: SchemaAt | undefined
  for (const part of parts) {
    const { schema } = part
    const own = readTypes(schema)
    types = intersect(types, own.types)
    isNullable &&= own.isNullable
    values = readValues(schema) ?? values
    for (const [name, property] of entriesOf(schema['properties'])) {
      if (!properties.has(name)) properties.set(name, below(part, ['properties', name], property))
    }
    for (const name of asList(schema['required'])) if (typeof name === 'string') required.add(name)
    const { additionalProperties: rest, items: ownItems } = schema
    if (rest === false) additional = false
    else if (isRecord(rest)) additional = below(part, ['additionalProperties'], rest)
    if (isRecord(ownItems)) items ??= below(part, ['items'], ownItems)
    for (const key of ['oneOf', 'anyOf']) {
      for (const [index, choice] of asList(schema[key]).entries()) {
        choices.push(below(part, [key, String(index)], choice))
      }
    }
    for (const key of KEYWORDS) if (schema[key] !== undefined) keywords[key] ??= schema[key]
  }
  const kept = choices.filter((choice) => !isNull(choice.schema))
  return {
    pointer: at.pointer,
    types,
    isNullable: isNullable || kept.length < choices.length,
    values,
    properties,
    required,
    additional,
    items,
    choices: kept,
    keywords,
  }
}

const KEYWORDS = keywordSet(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties uniqueItems pattern format default deprecated title description example examples readOnly writeOnly discriminator',
)

interface Part extends SchemaAt {
  readonly schema: Record<string, unknown>
}

function collectParts(at: SchemaAt, document: unknown): readonly Part[] {
  const parts: Part[] = []
  const seen = new Set<unknown>()
  const visit = (place: SchemaAt): void => {
    const target = followSchema(place, document)
    const { schema } = target
    if (!isRecord(schema) || seen.has(schema) || parts.length >= MAX_PARTS) return
    seen.add(schema)
    parts.push({ ...target, schema })
    for (const [index, part] of asList(schema['allOf']).entries()) {
      visit(below(target, ['allOf', String(index)], part))
    }
  }
  visit(at)
  return parts
}

function below(at: SchemaAt, path: readonly string[], schema: unknown): SchemaAt {
  return { schema, pointer: `${at.pointer}${formatPointer(path)}`, base: at.base }
}

function readTypes(schema: Record<string, unknown>): {
  readonly types: ReadonlySet<string> | undefined
  readonly isNullable: boolean
} {
  const declared = [schema['type']].flat().filter((type) => typeof type === 'string')
  const isNullable =
    schema['nullable'] === true || schema['x-nullable'] === true || declared.includes('null')
  const own = declared.filter((type) => type !== 'null')
  // A schema without a type allows everything, null included.
  const isOpen = declared.length === 0 && schema['enum'] === undefined && !hasShape(schema)
  return { types: own.length === 0 ? undefined : new Set(own), isNullable: isNullable || isOpen }
}

function hasShape(schema: Record<string, unknown>): boolean {
  return ['properties', 'items', 'oneOf', 'anyOf', 'const'].some((key) => schema[key] !== undefined)
}

function intersect(
  left: ReadonlySet<string> | undefined,
  right: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (left === undefined || right === undefined) return left ?? right
  const both = new Set([...left].filter((type) => right.has(type)))
  return both.size === 0 ? left : both
}

function readValues(schema: Record<string, unknown>): readonly unknown[] | undefined {
  if (schema['const'] !== undefined) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema['type'] === 'null'
}

/** Takes the alternatives out of a schema. */
export function withoutChoices(at: SchemaAt): SchemaAt {
  if (!isRecord(at.schema)) return at
  const { oneOf: _oneOf, anyOf: _anyOf, ...schema } = at.schema
  return { ...at, schema }
}

/** What an alternative is known by: the schema it refers to, its title, its mark, its type. */
export function nameOfChoice({ schema }: SchemaAt): string {
  if (!isRecord(schema)) return toText(schema)
  const { title, type, properties } = schema
  const address = addressOf(schema)
  if (address !== undefined) return referenceLabel(address)
  if (typeof title === 'string') return title
  const marks = isRecord(properties)
    ? Object.entries(properties).flatMap(([key, property]) =>
        isRecord(property) && property['const'] !== undefined
          ? [`${key}=${toText(property['const'])}`]
          : [],
      )
    : []
  if (marks.length > 0) return marks.join(' ')
  return JSON.stringify(type ?? schema).slice(0, 60)
}
