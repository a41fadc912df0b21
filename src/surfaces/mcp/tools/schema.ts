import {
  collectSchemas,
  inlineReferences,
  type JsonSchema,
  moveReferences,
  referenceName,
} from '../../../schema/index.ts'
import { isRecord } from '../../../values/index.ts'

/** Keywords that, at the root of one tool's schema, make clients refuse a whole list. */
const UNSAFE = new Set([
  '$schema',
  '$id',
  '$comment',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'unevaluatedProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
])

/** Of these a reader learns nothing new; the others are rules that only the call itself checks. */
const HARMLESS = new Set(['$schema', '$id', '$comment', 'allOf', 'anyOf', 'oneOf'])

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
      schemas.length === 1 ? schemas[0] : { [how === 'all' ? 'allOf' : 'anyOf']: schemas },
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

function mapValues(
  record: Record<string, unknown>,
  map: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** `safe`: what every client accepts. `full`: as the function has it, whatever clients think of it. */
export type SchemaStyle = 'safe' | 'full'

/** Writing the same schema out again and again must not make a list a thousand times as long. */
const MOST_NODES = 2_000

/** Writes the schema of a tool's arguments for clients. */
export function encodeInputSchema(
  schema: JsonSchema,
  shared: Schemas,
  style: SchemaStyle,
): JsonSchema {
  if (style === 'full') return { type: 'object', ...bundleReferences(schema, shared) }
  return toPlainObject(inlineWithin(schema, shared))
}

/** Writes the schema of a tool's result for clients. */
export function encodeOutputSchema(
  schema: JsonSchema,
  shared: Schemas,
  style: SchemaStyle,
): JsonSchema {
  if (style === 'full') return bundleReferences(schema, shared)
  // Clients check results by it, so nothing may get lost; no model reads it, so unions do no harm.
  const inlined = inlineWithin(schema, shared)
  return describesObject(inlined) ? { type: 'object', ...inlined } : inlined
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

function inlineWithin(schema: JsonSchema, shared: Schemas): JsonSchema {
  // Most schemas refer to nothing; looking at their text is ten times as fast as walking them.
  if (!JSON.stringify(schema).includes('"$ref"')) return schema
  const root = resolveRoot(schema, shared)
  return isSmallWhenInlined(root, shared)
    ? inlineReferences(root, shared)
    : bundleDefinitions(root, shared)
}

/** A root that only refers to a named schema is that schema. */
function resolveRoot(schema: JsonSchema, shared: Schemas): JsonSchema {
  const reference = schema['$ref']
  const name = typeof reference === 'string' ? referenceName(reference) : undefined
  const definition = name === undefined ? undefined : collectSchemas([schema], shared)[name]
  if (definition === undefined) return schema
  const { $ref: _reference, ...siblings } = schema
  return { ...siblings, ...definition }
}

function isSmallWhenInlined(schema: JsonSchema, shared: Schemas): boolean {
  const named = collectSchemas([schema], shared)
  const sizes = new Map<string, number>()
  const measure = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + measure(item), 1)
    if (!isRecord(value)) return 1
    const reference = value['$ref']
    const name = typeof reference === 'string' ? referenceName(reference) : undefined
    const own = Object.entries(value).reduce(
      (sum, [key, item]) => (key === '$defs' || key === 'definitions' ? sum : sum + measure(item)),
      1,
    )
    return name === undefined ? own : own + measureNamed(name)
  }
  const measureNamed = (name: string): number => {
    const known = sizes.get(name)
    if (known !== undefined) return known
    sizes.set(name, 1)
    const size = measure(named[name])
    sizes.set(name, size)
    return size
  }
  return measure(schema) <= MOST_NODES
}

function bundleDefinitions(schema: JsonSchema, shared: Schemas): JsonSchema {
  const move = (value: unknown) => moveReferences(value, (name) => `#/$defs/${name}`)
  const definitions = Object.entries(collectSchemas([schema], shared))
  return {
    ...(move(schema) as JsonSchema),
    $defs: Object.fromEntries(definitions.map(([name, definition]) => [name, move(definition)])),
  }
}

/** Leaves a schema as it is, except that shared schemas travel with it. */
function bundleReferences(schema: JsonSchema, shared: Schemas): JsonSchema {
  const text = JSON.stringify(schema)
  return text.includes('"#/components/schemas/') ? bundleDefinitions(schema, shared) : schema
}
