import type { Components } from '../core/description.ts'
import type { JsonObject } from '../core/json.ts'
import { collectSchemas, moveReferences } from '../core/schema-references.ts'
import type { Target } from '../core/target.ts'

/** Writes a version's schemas as one object whose references resolve inside it, at `#/definitions/…`. */
export function toSchemaObject(target: Target, components: Components): JsonObject {
  const { inputSchema, outputSchema } = target
  const roots = outputSchema === undefined ? [inputSchema] : [inputSchema, outputSchema]
  const definitions = collectSchemas(roots, components.schemas ?? {})
  const move = (schema: unknown) =>
    moveReferences(schema, (name) => `#/definitions/${name}`) as JsonObject
  const moved = Object.entries(definitions).map(([name, schema]) => [name, move(schema)] as const)
  return {
    arguments: move(inputSchema),
    ...(outputSchema && { returns: move(outputSchema) }),
    ...(moved.length > 0 && { definitions: Object.fromEntries(moved) }),
  }
}
