import type { JsonSchema } from '../schema/index.ts'
import { isList, isRecord, resolvePointer } from '../values/index.ts'

/** What a place in a schema of arguments makes of a number that loses digits. */
export type LargeNumber =
  /** Its digits are a value there: the place takes texts, or digits for a 64-bit integer. */
  | 'digits'
  /** A text is a value there beside others, so it must be said that one is meant. */
  | 'text'
  | 'none'

/** Tells what the place at a path of arguments takes a number for that JSON would change. */
export function judgeLargeNumber(schema: JsonSchema, path: readonly string[]): LargeNumber {
  const parts = path.reduce<readonly JsonSchema[]>(
    (above, name) =>
      listInPlace(
        above.map((part) => memberOf(part, name)),
        schema,
      ),
    listInPlace([schema], schema),
  )
  const typed = parts.filter(({ type, enum: values }) => type !== undefined || values !== undefined)
  if (typed.length === 0) return 'text'
  if (typed.some(isDigits)) return 'digits'
  if (!typed.some((part) => has(part, 'string'))) return 'none'
  return typed.some((part) => has(part, 'number') || has(part, 'integer')) ? 'text' : 'digits'
}

function isDigits(part: JsonSchema): boolean {
  const isLong = part['format'] === 'int64' || part['format'] === 'uint64'
  return isLong && has(part, 'string')
}

function has({ type }: JsonSchema, name: string): boolean {
  return [type].flat().includes(name)
}

function memberOf(part: JsonSchema, name: string): unknown {
  const { properties, additionalProperties, items } = part
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name]
  return /^\d+$/.test(name) && items !== undefined ? items : additionalProperties
}

/** Lists schemas and those that look at the same value, through references and choices. */
function listInPlace(schemas: readonly unknown[], root: JsonSchema): readonly JsonSchema[] {
  const parts = new Set<JsonSchema>()
  const enter = (schema: unknown): void => {
    if (!isRecord(schema) || parts.has(schema)) return
    parts.add(schema)
    const { $ref: reference } = schema
    if (typeof reference === 'string' && reference.startsWith('#')) {
      enter(resolvePointer(root, reference.slice(1)))
    }
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const inner = schema[keyword]
      if (isList(inner)) for (const one of inner) enter(one)
    }
  }
  for (const schema of schemas) enter(schema)
  return [...parts]
}
