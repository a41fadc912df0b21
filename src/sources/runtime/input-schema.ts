import { isRegExp, type JsonSchema, judgePattern, mapSchema } from '../../schema/index.ts'
import {
  argumentName,
  digitsPattern,
  type FieldDef,
  isNumeric,
  locationOf,
  type ToolDef,
  takesDigits,
} from '../tool-spec/index.ts'

/** Builds the schema of a tool's arguments: one object, one property per argument, and no others. */
export function toInputSchema(tool: ToolDef): JsonSchema {
  // A request cannot be made without what stands in its path.
  const params = (tool.params ?? []).map((field) =>
    locationOf(tool, field) === 'path' ? { ...field, required: true } : field,
  )
  const fields = [...params, ...(tool.body ?? [])]
  const root = tool.body_root ? [tool.body_root] : []
  return { ...toObjectSchema([...fields, ...root], argumentName), additionalProperties: false }
}

/** Builds the schema of one field, nested fields included. */
export function toFieldSchema(field: FieldDef): JsonSchema {
  const annotations = {
    ...(field.description !== undefined && { description: field.description }),
    ...(field.default !== undefined && { default: field.default }),
  }
  if (field.any_of !== undefined && field.any_of.length > 0) {
    return { ...annotations, anyOf: toAlternatives(field, field.any_of) }
  }
  const types = [
    field.type,
    ...(takesDigits(field) ? ['string'] : []),
    ...(field.nullable ? ['null'] : []),
  ]
  return {
    type: types.length === 1 ? field.type : types,
    ...annotations,
    ...toConstraints(field),
    ...(field.type === 'array' && { items: field.items ? toFieldSchema(field.items) : {} }),
    ...(field.type === 'object' && field.properties && toObjectMembers(field.properties, wireName)),
    ...(field.type === 'object' &&
      field.values && { additionalProperties: toFieldSchema(field.values) }),
  }
}

/**
 * Leaves patterns out of a schema of arguments unless they take linear time on the engine of JavaScript, which is all
 * that generated code has; what they ask for stays in the description.
 */
export function withSafePatterns(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, ({ pattern, ...rest }) => {
    if (pattern === undefined) return rest
    if (typeof pattern !== 'string' || judgePattern(pattern) === 'linear')
      return { ...rest, pattern }
    return { ...rest, description: addSentence(rest['description'], `Must match ${pattern}`) }
  })
}

function addSentence(description: unknown, sentence: string): string {
  return typeof description === 'string' && description !== ''
    ? `${description.replace(/\.$/, '')}. ${sentence}`
    : sentence
}

/** Builds the schema of an object from its fields. */
export function toObjectSchema(
  fields: readonly FieldDef[],
  nameOf: (field: FieldDef) => string = wireName,
): JsonSchema {
  return { type: 'object', ...toObjectMembers(fields, nameOf) }
}

function toAlternatives(field: FieldDef, alternatives: readonly FieldDef[]): JsonSchema[] {
  const acceptsNull = field.nullable && !alternatives.some((one) => one.nullable)
  return [...alternatives.map(toFieldSchema), ...(acceptsNull ? [{ type: 'null' }] : [])]
}

function toObjectMembers(
  fields: readonly FieldDef[],
  nameOf: (field: FieldDef) => string,
): { readonly properties: JsonSchema; readonly required?: readonly string[] } {
  const required = fields.filter((field) => field.required && field.const === undefined).map(nameOf)
  return {
    properties: Object.fromEntries(fields.map((field) => [nameOf(field), toFieldSchema(field)])),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  }
}

function wireName(field: FieldDef): string {
  return field.name ?? ''
}

/** Keywords that a field and JSON Schema share, by their spelling in a field. */
const SHARED = Object.entries({
  minimum: 'minimum',
  maximum: 'maximum',
  exclusive_minimum: 'exclusiveMinimum',
  exclusive_maximum: 'exclusiveMaximum',
  multiple_of: 'multipleOf',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_items: 'minItems',
  max_items: 'maxItems',
  unique_items: 'uniqueItems',
  format: 'format',
} as const satisfies Partial<Record<keyof FieldDef, string>>)

function toConstraints(field: FieldDef): JsonSchema {
  const constraints: Record<string, unknown> = {}
  if (field.const !== undefined) constraints['enum'] = [field.const]
  else if (field.enum) constraints['enum'] = field.nullable ? [...field.enum, null] : field.enum
  for (const [key, keyword] of SHARED) {
    const value = field[key as keyof FieldDef]
    if (value !== undefined) constraints[keyword] = value
  }
  const isLow = constraints['minimum'] ?? constraints['exclusiveMinimum']
  if (field.format === 'uint64' && isNumeric(field) && isLow === undefined)
    constraints['minimum'] = 0
  const digits = field.wire_type === 'integer' ? '^-?[0-9]+$' : undefined
  const pattern = takesDigits(field) ? digitsPattern(field) : (field.pattern ?? digits)
  // Patterns of other dialects come along with imported documents; an unreadable one checks nothing.
  if (pattern !== undefined && isRegExp(pattern)) constraints['pattern'] = pattern
  return constraints
}
