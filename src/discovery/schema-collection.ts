import { EVERYTHING, type View } from '../core/index.ts'
import {
  collectSchemas,
  inlineReferences,
  type JsonSchema,
  moveReferences,
  toDraft7,
} from '../schema/index.ts'
import { isRecord } from '../values/index.ts'

/** The schemas a document shares: those of the service, and those that functions brought along. */
export interface SchemaCollection {
  /** Lets a schema refer to the shared ones, taking its own definitions along. */
  readonly move: (schema: JsonSchema) => JsonSchema
  /** Everything collected so far. */
  readonly collected: () => Readonly<Record<string, JsonSchema>>
}

/**
 * Creates a collection that starts with the service's own schemas; `print` writes them in a dialect, draft 7 by default.
 * For a view that does not see everything it starts empty: a schema may tell of the functions that use it.
 */
export function createSchemaCollection(
  shared: Readonly<Record<string, JsonSchema>>,
  print: (schema: JsonSchema) => JsonSchema = toDraft7,
  view: View = EVERYTHING,
): SchemaCollection {
  const schemas = new Map<string, JsonSchema>()
  const first = view === EVERYTHING ? shared : {}
  const claim = createClaims(first)

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

  for (const [name, schema] of Object.entries(first)) schemas.set(name, print(move(schema)))
  return { move, collected: () => Object.fromEntries(schemas) }
}

/** Two schemas may have one name; the later one gets a number. */
function createClaims(
  known: Readonly<Record<string, JsonSchema>>,
): (name: string, schema: JsonSchema) => string {
  const origins = new Map<string, JsonSchema>(Object.entries(known))
  return (name, schema) => {
    for (let attempt = 1; ; attempt += 1) {
      const candidate = attempt === 1 ? name : `${name}_${attempt}`
      const taken = origins.get(candidate)
      if (taken === undefined) origins.set(candidate, schema)
      if (taken === undefined || taken === schema || isSame(taken, schema)) return candidate
    }
  }
}

function isSame(left: JsonSchema, right: JsonSchema): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

/**
 * Creates a collection for what is read alone: references are written out. What refers to itself stays a reference to
 * `#/definitions/…`, which is in the schema and in what was collected, so that it resolves from either root.
 */
export function createInlineCollection(
  shared: Readonly<Record<string, JsonSchema>>,
): SchemaCollection {
  const schemas = new Map<string, JsonSchema>()
  const claim = createClaims({})
  return {
    move: (schema) => {
      const { definitions, ...inlined } = inlineReferences(schema, shared)
      if (!isRecord(definitions)) return inlined
      const entries = Object.entries(definitions as Record<string, JsonSchema>)
      const names = new Map(entries.map(([name, definition]) => [name, claim(name, definition)]))
      const rename = (value: unknown) =>
        moveReferences(value, (name) => `#/definitions/${names.get(name) ?? name}`) as JsonSchema
      const moved = entries.map(
        ([name, definition]) => [names.get(name) ?? name, rename(definition)] as const,
      )
      for (const [name, definition] of moved) schemas.set(name, definition)
      return { ...rename(inlined), definitions: Object.fromEntries(moved) }
    },
    collected: () => Object.fromEntries(schemas),
  }
}
