import { isRecord } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import {
  collectSchemas,
  inlineReferences,
  moveReferences,
  referenceName,
} from '../core/schema-references.ts'
import { toPlainObject } from './plain-object.ts'

type Schemas = Readonly<Record<string, JsonSchema>>

/** `safe`: what every client accepts. `full`: as the function has it, whatever clients think of it. */
export type SchemaStyle = 'safe' | 'full'

/** Writing the same schema out again and again must not make a list a thousand times as long. */
const MOST_NODES = 2_000

/** Writes the schema of a tool's arguments for clients. */
export function toInputSchema(schema: JsonSchema, shared: Schemas, style: SchemaStyle): JsonSchema {
  if (style === 'full') return { type: 'object', ...bundleReferences(schema, shared) }
  return toPlainObject(inlineWithin(schema, shared))
}

/** Writes the schema of a tool's result for clients. */
export function toOutputSchema(
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
