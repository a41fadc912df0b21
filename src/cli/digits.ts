import { type JsonSchema, listLocalInPlace, memberSchema } from '../schema/index.ts'
import { isRecord } from '../values/index.ts'

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
      listLocalInPlace(
        above.map((part) => schemaOf(part, name)),
        schema,
      ),
    listLocalInPlace([schema], schema),
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

function schemaOf(part: JsonSchema, name: string): unknown {
  const { properties, items } = part
  const isNamed = isRecord(properties) && Object.hasOwn(properties, name)
  return !isNamed && /^\d+$/.test(name) && items !== undefined ? items : memberSchema(part, name)
}
