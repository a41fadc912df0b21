import { isRecord } from './json.ts'
import type { JsonSchema } from './schema.ts'

/** Where schemas may keep others they refer to by name. */
const PREFIXES = ['#/$defs/', '#/definitions/', '#/components/schemas/']

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

type Schemas = Readonly<Record<string, JsonSchema>>

/** Collects every named schema that some schemas reach, from their own `$defs` and from the shared ones. */
export function collectSchemas(roots: readonly JsonSchema[], shared: Schemas): Schemas {
  const found = new Map<string, JsonSchema>()
  const visit = (schema: JsonSchema, local: Schemas): void => {
    const own = { ...local, ...ownDefinitions(schema) }
    for (const name of referencedNames(schema)) {
      const definition = own[name] ?? shared[name]
      if (definition === undefined || found.has(name)) continue
      found.set(name, definition)
      visit(definition, own)
    }
  }
  for (const root of roots) visit(root, {})
  return Object.fromEntries(found)
}

/** Rewrites references to named schemas with `rename`, and drops local definitions. */
export function moveReferences(schema: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => moveReferences(item, rename))
  if (!isRecord(schema)) return schema
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === '$ref' && typeof value === 'string') {
      const name = referenceName(value)
      return [[key, name === undefined ? value : rename(name)]]
    }
    if ((key === '$defs' || key === 'definitions') && isSchemaMap(value)) return []
    return [[key, DATA.has(key) ? value : moveReferences(value, rename)]]
  })
  return Object.fromEntries(entries)
}

/** Replaces references to named schemas by the schemas; what refers to itself stays a reference into `definitions`. */
export function inlineReferences(schema: JsonSchema, shared: Schemas): JsonSchema {
  const named = collectSchemas([schema], shared)
  const recursive = new Map<string, unknown>()
  const expand = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => expand(item, path))
    if (!isRecord(value)) return value
    const name = typeof value['$ref'] === 'string' ? referenceName(value['$ref']) : undefined
    const definition = name === undefined ? undefined : named[name]
    if (name !== undefined && definition !== undefined) {
      if (path.includes(name)) {
        if (!recursive.has(name)) {
          recursive.set(name, undefined)
          recursive.set(name, expand(definition, [name]))
        }
        return { $ref: `#/definitions/${name}` }
      }
      const { $ref: _reference, ...siblings } = value
      const inlined = expand(definition, [...path, name])
      return Object.keys(siblings).length === 0 ? inlined : { allOf: [inlined], ...siblings }
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, item]) => !((key === '$defs' || key === 'definitions') && isSchemaMap(item)))
        .map(([key, item]) => [key, DATA.has(key) ? item : expand(item, path)]),
    )
  }
  const expanded = expand(schema, []) as JsonSchema
  return recursive.size === 0
    ? expanded
    : { ...expanded, definitions: Object.fromEntries(recursive) }
}

/** Gives the name in a reference to a named schema: `EventResource` for `#/components/schemas/EventResource`. */
export function referenceName(reference: string): string | undefined {
  const prefix = PREFIXES.find((candidate) => reference.startsWith(candidate))
  const name = prefix && reference.slice(prefix.length)
  return name === undefined || name === '' || name.includes('/') ? undefined : name
}

function referencedNames(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencedNames)
  if (!isRecord(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === '$ref' && typeof value === 'string') return referenceName(value) ?? []
    return key === '$defs' || key === 'definitions' || DATA.has(key) ? [] : referencedNames(value)
  })
}

function ownDefinitions(schema: JsonSchema): Schemas {
  const { $defs, definitions } = schema
  return { ...(isSchemaMap(definitions) && definitions), ...(isSchemaMap($defs) && $defs) }
}

/** A member called `definitions` may also be a property of that name; then its values are no schemas by reference. */
function isSchemaMap(value: unknown): value is Schemas {
  return isRecord(value) && Object.values(value).every((item) => isRecord(item))
}
