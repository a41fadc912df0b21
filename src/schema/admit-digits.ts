import { isList, isRecord } from '../values/index.ts'
import type { JsonSchema } from './schema.ts'
import { mapSubschemas, mapValues, type Subschema } from './walk/index.ts'

/**
 * Lets the numbers in a remote result also be strings of digits: integers beyond ±(2^53−1) arrive that way, because a
 * number would round them.
 */
export function admitDigits(schema: JsonSchema): JsonSchema {
  const copy = mapValues(schema, (value, keyword) => {
    // A second choice for the same string would make it ambiguous.
    if (keyword === 'oneOf' && isList(value) && value.some(isText)) return value
    return mapSubschemas(keyword, value, (inner): Subschema => admitDigits(inner))
  })
  const types = [copy['type']].flat()
  const isNumber = types.includes('integer') || types.includes('number')
  const isChosen = copy['enum'] !== undefined || copy['const'] !== undefined
  if (!isNumber || types.includes('string') || isChosen || isSmall(copy)) return copy
  return { ...copy, type: [...types, 'string'], pattern: '^-?[0-9]{16,}$' }
}

function isText(schema: unknown): boolean {
  return isRecord(schema) && [schema['type']].flat().includes('string')
}

function isSmall({ minimum, maximum, format }: JsonSchema): boolean {
  const isBounded = [minimum, maximum].every(
    (bound) => typeof bound === 'number' && Math.abs(bound) <= Number.MAX_SAFE_INTEGER,
  )
  return isBounded || (typeof format === 'string' && /^u?int(?:8|16|32)$/.test(format))
}
