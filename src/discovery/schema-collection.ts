import { toDraft7 } from '../core/dialect.ts'
import type { JsonSchema } from '../core/schema.ts'
import { collectSchemas, moveReferences } from '../core/schema-references.ts'

/** The schemas a document shares: those of the service, and those that functions brought along. */
export interface SchemaCollection {
  /** Lets a schema refer to the shared ones, taking its own definitions along. */
  readonly move: (schema: JsonSchema) => JsonSchema
  /** Everything collected so far. */
  readonly collected: () => Readonly<Record<string, JsonSchema>>
}

/** Creates a collection that starts with the service's own schemas; `print` writes them in a dialect, draft 7 by default. */
export function createSchemaCollection(
  shared: Readonly<Record<string, JsonSchema>>,
  print: (schema: JsonSchema) => JsonSchema = toDraft7,
): SchemaCollection {
  const schemas = new Map<string, JsonSchema>()
  const origins = new Map<string, JsonSchema>(Object.entries(shared))

  /** Two functions may use one name for different schemas; the later one gets a number. */
  const claim = (name: string, schema: JsonSchema): string => {
    for (let attempt = 1; ; attempt += 1) {
      const candidate = attempt === 1 ? name : `${name}_${attempt}`
      const taken = origins.get(candidate)
      if (taken === undefined) origins.set(candidate, schema)
      if (taken === undefined || taken === schema || isSame(taken, schema)) return candidate
    }
  }

  const move = (schema: JsonSchema): JsonSchema => {
    const reached = Object.entries(collectSchemas([schema], shared))
    const names = new Map(reached.map(([name, definition]) => [name, claim(name, definition)]))
    const rename = (name: string) => `#/components/schemas/${names.get(name) ?? name}`
    for (const [name, definition] of reached) {
      const claimed = names.get(name) ?? name
      if (!schemas.has(claimed)) {
        schemas.set(claimed, print(moveReferences(definition, rename) as JsonSchema))
      }
    }
    return moveReferences(schema, rename) as JsonSchema
  }

  for (const [name, schema] of Object.entries(shared)) schemas.set(name, print(move(schema)))
  return { move, collected: () => Object.fromEntries(schemas) }
}

function isSame(left: JsonSchema, right: JsonSchema): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
