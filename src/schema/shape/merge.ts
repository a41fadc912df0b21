import { asRecord, isRecord } from '../../values/index.ts'
import { compilePattern } from '../pattern/index.ts'
import type { JsonSchema } from '../schema.ts'
import { isSubschema, keywordSet, requireAll, type Subschema } from '../walk/index.ts'

/** Says that a schema accepts nothing, or that the way through it that was tried does not. */
export class Unsatisfiable extends Error {
  override readonly name = 'Unsatisfiable'
}

/** Joins two schemas into one that accepts what both accept, as far as single keywords can say it. */
export function mergeSchemas(left: JsonSchema, right: JsonSchema): JsonSchema {
  if (Object.keys(left).length === 0) return right
  if (Object.keys(right).length === 0) return left
  const merged: Record<string, unknown> = { ...right, ...left }
  for (const keyword of Object.keys(right)) {
    const join = Object.hasOwn(left, keyword) ? JOINS[keyword] : undefined
    if (join !== undefined) merged[keyword] = join(left[keyword] as never, right[keyword] as never)
  }
  const properties = mergeProperties(left, right)
  if (Object.keys(properties).length > 0) merged['properties'] = properties
  return merged
}

type Join = (left: never, right: never) => unknown

const larger: Join = (left: number, right: number) => Math.max(left, right)
const smaller: Join = (left: number, right: number) => Math.min(left, right)
const both: Join = (left: unknown, right: unknown) => {
  if (left === false || right === false) return false
  if (left === true) return right
  return right === true ? left : requireAll([left, right])
}

const JOINS: Readonly<Record<string, Join>> = {
  type: joinTypes,
  enum: joinChoices,
  const: (left: unknown, right: unknown) => {
    if (JSON.stringify(left) === JSON.stringify(right)) return left
    throw new Unsatisfiable('two constants differ')
  },
  ...share(larger, 'minimum exclusiveMinimum minLength minItems minProperties minContains'),
  ...share(smaller, 'maximum exclusiveMaximum maxLength maxItems maxProperties maxContains'),
  multipleOf: joinSteps,
  required: (left: readonly string[], right: readonly string[]) => [
    ...new Set([...left, ...right]),
  ],
  pattern: (left: unknown, right: unknown) => [left, right].flat(),
  uniqueItems: (left: boolean, right: boolean) => left || right,
  ...share(
    both,
    'items contains propertyNames additionalProperties unevaluatedProperties unevaluatedItems',
  ),
  ...share(joinMaps, 'patternProperties dependentSchemas'),
  dependentRequired: (left: object, right: object) => ({ ...right, ...left }),
  prefixItems: (left: readonly unknown[], right: readonly unknown[]) =>
    Array.from({ length: Math.max(left.length, right.length) }, (_, index) =>
      both((left[index] ?? true) as never, (right[index] ?? true) as never),
    ),
}

function share(join: Join, keywords: string): Record<string, Join> {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, join]))
}

function joinTypes(left: string | readonly string[], right: string | readonly string[]): unknown {
  const others = [right].flat()
  const common = [left].flat().flatMap((type) => {
    if (others.includes(type)) return [type]
    if (type === 'number' && others.includes('integer')) return ['integer']
    return type === 'integer' && others.includes('number') ? ['integer'] : []
  })
  if (common.length === 0) {
    const [one, other] = [left, right].map((types) => [types].flat().join(' or '))
    throw new Unsatisfiable(`nothing is both ${one} and ${other}`)
  }
  return common.length === 1 ? common[0] : common
}

function joinChoices(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const known = new Set(right.map((value) => JSON.stringify(value)))
  const common = left.filter((value) => known.has(JSON.stringify(value)))
  if (common.length === 0) throw new Unsatisfiable('two lists of choices have nothing in common')
  return common
}

function joinSteps(left: number, right: number): number {
  const high = Math.max(left, right)
  const low = Math.min(left, right)
  if (Number.isInteger(high / low)) return high
  return Number.isInteger(left) && Number.isInteger(right)
    ? (left * right) / divisor(left, right)
    : high
}

function divisor(left: number, right: number): number {
  return right === 0 ? left : divisor(right, left % right)
}

function joinMaps(left: Record<string, unknown>, right: Record<string, unknown>): object {
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in left && name in right
        ? both(left[name] as never, right[name] as never)
        : (left[name] ?? right[name]),
    ]),
  )
}

/** Gives the schemas that decide about a member: its own and those of matching patterns, else that of all others. */
export function schemasOfMember(schema: JsonSchema, name: string): readonly Subschema[] {
  const own = asRecord(schema['properties'])
  const patterns = Object.entries(asRecord(schema['patternProperties'])).filter(([pattern]) =>
    compilePattern(pattern).test(name),
  )
  const deciding = [
    ...(Object.hasOwn(own, name) ? [own[name]] : []),
    ...patterns.map(([, part]) => part),
  ].filter(isSubschema)
  if (deciding.length > 0) return deciding
  const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties']
  return isSubschema(rest) ? [rest] : [true]
}

/** A schema without room for further members also judges the members that only the other one names. */
function mergeProperties(left: JsonSchema, right: JsonSchema): Record<string, unknown> {
  const own = asRecord(left['properties'])
  const other = asRecord(right['properties'])
  const names = new Set([...Object.keys(own), ...Object.keys(other)])
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      both(toJudge(left, own, name) as never, toJudge(right, other, name) as never),
    ]),
  )
}

function toJudge(schema: JsonSchema, properties: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(properties, name)) return properties[name]
  const patterns = Object.keys(asRecord(schema['patternProperties']))
  if (patterns.some((pattern) => compilePattern(pattern).test(name))) return true
  return schema['additionalProperties'] ?? true
}

/** How one way through a schema is chosen. */
export interface PlainSchemaContext {
  /** Puts alternatives into the order in which they are tried. */
  readonly shuffle: <Item>(items: readonly Item[]) => readonly Item[]
  /** Prefers what ends soon: schemas may refer to themselves. */
  readonly brief: boolean
  readonly resolve: (reference: string) => Subschema | undefined
  /** How many references were followed without getting any further. */
  readonly follows?: number
}

const MOST_FOLLOWS = 50
const APPLIED = keywordSet('$ref $dynamicRef allOf anyOf oneOf if then else $defs definitions')

/** Takes one way through references and alternatives, and joins what lies on it into one plain schema. */
export function toPlainSchema(schema: Subschema, context: PlainSchemaContext): JsonSchema {
  if (schema === false) throw new Unsatisfiable('the schema accepts nothing')
  if (schema === true) return {}
  const { follows = 0 } = context
  if (follows > MOST_FOLLOWS) throw new Unsatisfiable('a schema refers to nothing but itself')
  const deeper: PlainSchemaContext = { ...context, follows: follows + 1 }
  let flat: JsonSchema = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !APPLIED.has(keyword)),
  )
  const apply = (other: unknown) => {
    if (isSubschema(other)) flat = mergeSchemas(flat, toPlainSchema(other, deeper))
  }
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = schema[keyword]
    if (typeof reference === 'string') apply(requireTarget(reference, context))
  }
  for (const part of listOf(schema['allOf'])) apply(part)
  for (const keyword of ['oneOf', 'anyOf']) {
    if (Array.isArray(schema[keyword])) flat = applyOne(flat, listOf(schema[keyword]), deeper)
  }
  if (isSubschema(schema['if'])) flat = applyCondition(flat, schema, deeper)
  return flat
}

function requireTarget(reference: string, { resolve }: PlainSchemaContext): Subschema {
  const target = resolve(reference)
  if (target === undefined) throw new Unsatisfiable(`the reference ${reference} leads nowhere`)
  return target
}

/** Tries alternatives in any order; deep inside, the simplest first. */
function applyOne(
  flat: JsonSchema,
  options: readonly Subschema[],
  context: PlainSchemaContext,
): JsonSchema {
  const mixed = context.shuffle(options)
  const ordered = context.brief ? mixed.toSorted((a, b) => weight(a) - weight(b)) : mixed
  let reason = new Unsatisfiable('there is no alternative')
  for (const option of ordered) {
    try {
      return mergeSchemas(flat, toPlainSchema(option, context))
    } catch (thrown) {
      if (!(thrown instanceof Unsatisfiable)) throw thrown
      reason = thrown
    }
  }
  throw reason
}

function applyCondition(
  flat: JsonSchema,
  schema: JsonSchema,
  context: PlainSchemaContext,
): JsonSchema {
  const met = (): JsonSchema => {
    const condition = toPlainSchema(schema['if'] as Subschema, context)
    const then = isSubschema(schema['then']) ? toPlainSchema(schema['then'], context) : {}
    // Members the condition only mentions have to be there, or it would be met by their absence alone.
    return mergeSchemas(mergeSchemas(flat, condition), then)
  }
  const unmet = (): JsonSchema =>
    isSubschema(schema['else']) ? mergeSchemas(flat, toPlainSchema(schema['else'], context)) : flat
  const ways = context.shuffle([met, unmet])
  try {
    return ways[0]?.() ?? flat
  } catch (thrown) {
    if (!(thrown instanceof Unsatisfiable)) throw thrown
    return ways[1]?.() ?? flat
  }
}

function weight(schema: Subschema): number {
  if (!isRecord(schema)) return 3
  if ('const' in schema || 'enum' in schema || schema['type'] === 'null') return 0
  const { type } = schema
  if (typeof type === 'string' && type !== 'object' && type !== 'array') return 1
  return '$ref' in schema || 'properties' in schema || 'items' in schema ? 4 : 2
}

function listOf(value: unknown): readonly Subschema[] {
  return Array.isArray(value) ? value.filter(isSubschema) : []
}
