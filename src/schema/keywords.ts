import { formatPointer, isRecord } from '../values/index.ts'
import type { JsonSchema } from './schema.ts'

/** A schema as it may stand inside another one. */
export type Subschema = JsonSchema | boolean

/** Keywords whose value is one schema (`items` was also a list before 2020-12). */
const ONE: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** Keywords whose value is a list of schemas. */
const LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])

/** Keywords whose value maps names to schemas. */
const MAP: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
])

/** Keywords whose value is never a schema, whatever it looks like. */
const DATA: ReadonlySet<string> = new Set([
  '$vocabulary',
  'const',
  'default',
  'dependentRequired',
  'enum',
  'example',
  'examples',
  'required',
  'type',
])

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

/** Copies an object with every value replaced; a member named `__proto__` stays a member. */
export function mapValues(
  record: Readonly<Record<string, unknown>>,
  replace: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
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
