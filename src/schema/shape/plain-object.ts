import { isRecord } from '../../values/index.ts'
import type { JsonSchema } from '../schema.ts'
import { allowAny, keywordSet, mapValues, requireAll } from '../walk/index.ts'

/** Keywords that, at the root of one tool's schema, make clients refuse a whole list. */
const UNSAFE = keywordSet(
  '$schema $id $comment allOf anyOf oneOf not if then else dependentSchemas dependentRequired dependencies unevaluatedProperties propertyNames minProperties maxProperties',
)

/** Of these a reader learns nothing new; the others are rules that only the call itself checks. */
const HARMLESS = keywordSet('$schema $id $comment allOf anyOf oneOf')

interface Shape {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
  readonly closed: boolean
  /** True where it admits members without naming them. */
  readonly open: boolean
}

/** Writes a schema with a plain object at its root that shows every argument the schema knows by name. */
export function toPlainObject(schema: JsonSchema): JsonSchema {
  const shape = toShape(schema)
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !UNSAFE.has(key)))
  const notes = describeLoss(schema, shape)
  const description = typeof kept['description'] === 'string' ? kept['description'] : undefined
  return {
    ...kept,
    type: 'object',
    ...((Object.keys(shape.properties).length > 0 || 'properties' in kept) && {
      properties: shape.properties,
    }),
    ...(shape.required.length > 0 && { required: shape.required }),
    ...(shape.closed && { additionalProperties: false }),
    ...(notes.length > 0 && { description: [description, ...notes].filter(Boolean).join(' ') }),
  }
}

function toShape(schema: JsonSchema): Shape {
  const parts = branches(schema, 'allOf').map(toShape)
  const choices = [branches(schema, 'anyOf'), branches(schema, 'oneOf')]
    .filter((list) => list.length > 0)
    .map((list) => joinChoices(list.map(toShape)))
  const all = [ownShape(schema), ...parts, ...choices]
  const open = all.some((shape) => shape.open)
  return {
    properties: mergeProperties(all, 'all'),
    required: [...new Set(all.flatMap(({ required }) => required))],
    closed: isClosed(schema, { parts, choices, open }),
    open,
  }
}

/** What every choice closes stays closed; one open choice leaves room for more. */
function isClosed(
  schema: JsonSchema,
  {
    parts,
    choices,
    open,
  }: {
    readonly parts: readonly Shape[]
    readonly choices: readonly Shape[]
    readonly open: boolean
  },
): boolean {
  if (schema['unevaluatedProperties'] === false && !open) return true
  if (parts.length > 0) return false
  if (schema['additionalProperties'] === false) return true
  return choices.length === 1 && choices[0]?.closed === true && !('properties' in schema)
}

function ownShape(schema: JsonSchema): Shape {
  const { properties, required } = schema
  const rest = [schema['additionalProperties'], schema['unevaluatedProperties']]
  return {
    properties: isRecord(properties) ? mapValues(properties, toObjectSchema) : {},
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    closed: false,
    open:
      rest.some((others) => others !== undefined && others !== false) ||
      UNSHOWN.some((keyword) => keyword in schema),
  }
}

/** Keywords that may name members which the plain object does not show. */
const UNSHOWN = ['$ref', 'patternProperties', 'then', 'else', 'if', 'dependentSchemas']

function joinChoices(choices: readonly Shape[]): Shape {
  const [first, ...rest] = choices
  return {
    properties: mergeProperties(choices, 'any'),
    required: (first?.required ?? []).filter((name) =>
      rest.every(({ required }) => required.includes(name)),
    ),
    closed: choices.every(({ closed }) => closed),
    open: choices.some(({ open }) => open),
  }
}

function mergeProperties(shapes: readonly Shape[], how: 'all' | 'any'): Record<string, unknown> {
  const found = new Map<string, unknown[]>()
  for (const { properties } of shapes) {
    for (const [name, schema] of Object.entries(properties)) {
      const known = found.get(name) ?? []
      const text = JSON.stringify(schema)
      if (!known.some((other) => JSON.stringify(other) === text)) known.push(schema)
      found.set(name, known)
    }
  }
  return Object.fromEntries(
    [...found].map(([name, schemas]) => [
      name,
      how === 'all' ? requireAll(schemas) : allowAny(schemas),
    ]),
  )
}

/** Branches that describe objects; others cannot match an arguments object. */
function branches(schema: JsonSchema, keyword: string): readonly JsonSchema[] {
  const list = schema[keyword]
  if (!Array.isArray(list)) return []
  return list.filter(
    (branch): branch is JsonSchema =>
      isRecord(branch) && (branch['type'] === undefined || branch['type'] === 'object'),
  )
}

function describeLoss(schema: JsonSchema, { closed }: Shape): readonly string[] {
  const notes: string[] = []
  const forms = [...branches(schema, 'oneOf'), ...branches(schema, 'anyOf')]
    .map((branch) => toShape(branch).required)
    .filter((required) => required.length > 0)
  if (forms.length > 1) {
    notes.push(`Give one of: ${forms.map((names) => names.join(' with ')).join('; or ')}.`)
  }
  const isShown = (key: string) => HARMLESS.has(key) || (key === 'unevaluatedProperties' && closed)
  if (Object.keys(schema).some((key) => UNSAFE.has(key) && !isShown(key))) {
    notes.push('Further rules are checked when the tool is called.')
  }
  return notes
}

/** Revisions before 2026 want every property described by an object. */
function toObjectSchema(schema: unknown): unknown {
  if (schema === true) return {}
  return schema === false ? { not: {} } : schema
}

/** Tells whether everything a schema accepts is an object. */
export function describesObject(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  if (schema['type'] !== undefined) return schema['type'] === 'object'
  return ['anyOf', 'oneOf', 'allOf'].some((keyword) => {
    const list = schema[keyword]
    return Array.isArray(list) && list.length > 0 && list.every(describesObject)
  })
}
