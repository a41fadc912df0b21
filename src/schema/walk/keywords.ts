import { formatPointer, isRecord } from '../../values/index.ts'

/** A JSON Schema document: 2020-12 inside the registry, draft 7 is read as well. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** A schema as it may stand inside another one. */
export type Subschema = JsonSchema | boolean

/** Makes a set of keywords written as words. */
export function keywordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

/** Keywords whose value is one schema (`items` was also a list before 2020-12). */
const ONE = keywordSet(
  'additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties',
)

/** Keywords whose value is a list of schemas. */
const LIST = keywordSet('allOf anyOf items oneOf prefixItems')

/** Keywords whose value maps names to schemas. */
const MAP = keywordSet(
  '$defs definitions dependencies dependentSchemas patternProperties properties',
)

/** Keywords whose value is never a schema, whatever it looks like. */
const DATA = keywordSet(
  '$vocabulary const default dependentRequired enum example examples required type',
)

/** The role a keyword's value plays: what stands inside it. */
export type KeywordRole = 'one' | 'list' | 'map' | 'data' | 'unknown'

/** Tells what stands inside the value of a keyword. */
export function roleOf(keyword: string, value: unknown): KeywordRole {
  if (DATA.has(keyword)) return 'data'
  if (LIST.has(keyword) && Array.isArray(value)) return 'list'
  if (MAP.has(keyword) && isRecord(value)) return 'map'
  if (ONE.has(keyword) && isSubschema(value)) return 'one'
  return typeof value === 'object' && value !== null ? 'unknown' : 'data'
}

/** Tells whether a keyword lists alternatives. */
export function isChoice(keyword: string): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf'
}

/** Tells whether a value can be read as a schema. */
export function isSubschema(value: unknown): value is Subschema {
  return typeof value === 'boolean' || isRecord(value)
}

/** Calls back for every schema directly inside a keyword's value, with its pointer below the keyword. */
export function eachSubschema(
  keyword: string,
  value: unknown,
  visit: (schema: JsonSchema, pointer: string) => void,
): void {
  const role = roleOf(keyword, value)
  if (role === 'one' && isRecord(value)) visit(value, '')
  if (role !== 'list' && role !== 'map') return
  for (const [name, member] of Object.entries(value as object)) {
    if (isRecord(member)) visit(member, formatPointer([name]))
  }
}

/** Rebuilds a keyword's value with every schema directly inside it replaced. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  replace: (schema: JsonSchema) => Subschema,
): unknown {
  const change = (member: unknown): unknown => (isRecord(member) ? replace(member) : member)
  const role = roleOf(keyword, value)
  if (role === 'one') return change(value)
  if (role === 'list' && Array.isArray(value)) return value.map(change)
  return role === 'map' && isRecord(value) ? mapValues(value, change) : value
}

/** Calls back for every keyword of a schema and of all schemas inside it, with its pointer. */
export function walkSchema(
  schema: Subschema,
  visit: (keyword: string, value: unknown, pointer: string, schema: JsonSchema) => void,
  pointer = '',
): void {
  if (typeof schema === 'boolean') return
  for (const [keyword, value] of Object.entries(schema)) {
    const below = `${pointer}/${keyword}`
    visit(keyword, value, below, schema)
    eachSubschema(keyword, value, (inner, rest) => walkSchema(inner, visit, below + rest))
  }
}

/** Copies a schema with all schemas inside it replaced, innermost first, and then itself. */
export function mapSchema(
  schema: JsonSchema,
  change: (schema: Record<string, unknown>) => JsonSchema,
): JsonSchema {
  return change(
    mapValues(schema, (value, keyword) =>
      mapSubschemas(keyword, value, (inner) => mapSchema(inner, change)),
    ),
  )
}

/** Copies an object with every value replaced; a member named `__proto__` stays a member. */
export function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  replace: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, replace(value, key)]),
  )
}

/** Runs something that walks a schema; one nested beyond the stack is a mistake in the definition. */
export function withinDepth<Value>(action: () => Value): Value {
  try {
    return action()
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new TypeError('the schema is nested too deeply', { cause: thrown })
  }
}
