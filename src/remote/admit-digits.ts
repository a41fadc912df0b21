import type { JsonSchema } from '../core/schema.ts'
import { mapSubschemas, mapValues, type Subschema } from '../core/schema-keywords.ts'

/**
 * Lets the integers in a remote result also be strings of digits: those beyond ±(2^53−1) arrive that way, because a number
 * would round them.
 */
export function admitDigits(schema: JsonSchema): JsonSchema {
  const copy = mapValues(schema, (value, keyword) =>
    mapSubschemas(keyword, value, (inner): Subschema => admitDigits(inner)),
  )
  const types = [copy['type']].flat()
  const isChosen = copy['enum'] !== undefined || copy['const'] !== undefined
  if (!types.includes('integer') || types.includes('string') || isChosen || isSmall(copy)) {
    return copy
  }
  return { ...copy, type: [...types, 'string'], pattern: '^-?[0-9]{16,}$' }
}

function isSmall({ minimum, maximum, format }: JsonSchema): boolean {
  const isBounded = typeof minimum === 'number' && typeof maximum === 'number'
  return isBounded || (typeof format === 'string' && /^u?int(?:8|16|32)$/.test(format))
}
