import {
  isChoice,
  itemSchema,
  type JsonSchema,
  listLocalInPlace,
  mapSubschemas,
  mapValues,
  memberSchema,
} from '../../schema/index.ts'
import { isList, isRecord, markDigits } from '../../values/index.ts'
import { digitsPattern, takesDigits } from './fields.ts'
import type { FieldDef } from './types.ts'

/** Lets the 64-bit integers among the arguments of a remote function also be strings of digits. */
export function admitDigitArguments(schema: JsonSchema): JsonSchema {
  const copy = mapValues(schema, (value, keyword) => {
    // Where a string is one of the choices it is sent as a string; a second choice for it would only be ambiguous.
    if (isChoice(keyword) && isList(value) && value.some(admitsText)) return value
    return mapSubschemas(keyword, value, admitDigitArguments)
  })
  const field = toDigitField(copy)
  if (field === undefined) return copy
  return { ...copy, type: [...[copy['type']].flat(), 'string'], pattern: digitsPattern(field) }
}

/**
 * Marks what has to leave as a bare number: digits given for a 64-bit integer of the schema as it was before digits were
 * admitted, and integers that were exact although a number beyond ±(2^53−1) seldom is.
 */
export function markArguments(schema: JsonSchema, args: unknown): unknown {
  return markValue([schema], args, schema)
}

function markValue(schemas: readonly unknown[], value: unknown, root: JsonSchema): unknown {
  if (typeof value === 'number') return markNumber(value)
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value
  const parts = listLocalInPlace(schemas, root)
  if (typeof value === 'string') {
    const isInteger = parts.some((part) => toDigitField(part) !== undefined)
    return isInteger && !parts.some(admitsText) && DIGITS.test(value) ? markDigits(value) : value
  }
  const markBelow = (toSchema: (part: JsonSchema) => unknown, item: unknown): unknown =>
    markValue(parts.map(toSchema), item, root)
  if (isList(value)) return value.map((item, at) => markBelow((part) => itemSchema(part, at), item))
  return mapValues(value as JsonSchema, (item, name) =>
    markBelow((part) => memberSchema(part, name), item),
  )
}

const DIGITS = /^-?[0-9]+$/

function markNumber(value: number): unknown {
  const text = String(value)
  return Number.isInteger(value) && !Number.isSafeInteger(value) && DIGITS.test(text)
    ? markDigits(text)
    : value
}

function admitsText(schema: unknown): boolean {
  return isRecord(schema) && [schema['type']].flat().includes('string')
}

/** Gives a schema as the field of a tool spec where it is an integer that digits are taken for. */
function toDigitField(schema: JsonSchema): FieldDef | undefined {
  const types = [schema['type']].flat()
  const type = ['integer', 'number'].find((name) => types.includes(name))
  if (type === undefined || types.includes('string') || 'const' in schema) return undefined
  const bounds = Object.entries({
    minimum: schema['minimum'],
    maximum: schema['maximum'],
    exclusive_minimum: schema['exclusiveMinimum'],
    exclusive_maximum: schema['exclusiveMaximum'],
  }).filter(([, bound]) => typeof bound === 'number' && Number.isSafeInteger(bound))
  const field = {
    type,
    format: schema['format'],
    enum: schema['enum'],
    ...Object.fromEntries(bounds),
  } as FieldDef
  return takesDigits(field) ? field : undefined
}
