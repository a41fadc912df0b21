import type { FieldType } from '../spec/types.ts'
import { asFlag, asText, read } from './node.ts'

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
