import {
  bundleSchema,
  describesObject,
  type JsonSchema,
  toPlainObject,
  toStandaloneSchema,
} from '../../../schema/index.ts'

type Schemas = Readonly<Record<string, JsonSchema>>

/** `safe`: what every client accepts. `full`: as the function has it, whatever clients think of it. */
export type SchemaStyle = 'safe' | 'full'

/** Writes the schema of a tool's arguments for clients. */
export function encodeInputSchema(
  schema: JsonSchema,
  shared: Schemas,
  style: SchemaStyle,
): JsonSchema {
  if (style === 'full') return { type: 'object', ...bundleSchema(schema, shared) }
  return toPlainObject(toStandaloneSchema(schema, shared))
}

/** Writes the schema of a tool's result for clients. */
export function encodeOutputSchema(
  schema: JsonSchema,
  shared: Schemas,
  style: SchemaStyle,
): JsonSchema {
  if (style === 'full') return bundleSchema(schema, shared)
  // Clients check results by it, so nothing may get lost; no model reads it, so unions do no harm.
  const inlined = toStandaloneSchema(schema, shared)
  return describesObject(inlined) ? { type: 'object', ...inlined } : inlined
}
