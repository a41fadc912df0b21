import { isRecord } from '../../values/index.ts'
import type { JsonSchema } from '../schema.ts'
import {
  addressOf,
  hasReference,
  keywordSet,
  referenceName,
  withoutReference,
} from '../walk/index.ts'

/** Shared schemas, by name. */
type Schemas = Readonly<Record<string, JsonSchema>>

/** Keywords whose values are data, not schemas. */
const DATA = keywordSet('const enum default examples')

/** Writing the same schema out again and again must not make a document a thousand times as long. */
const MOST_NODES = 2_000

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
  return mapMembers(schema, (member, key) => {
    const name = key === '$ref' && typeof member === 'string' ? referenceName(member) : undefined
    return name === undefined ? moveReferences(member, rename) : rename(name)
  })
}

/** Replaces references to named schemas by the schemas; what refers to itself stays a reference into `definitions`. */
export function inlineReferences(schema: JsonSchema, shared: Schemas): JsonSchema {
  const named = collectSchemas([schema], shared)
  const recursive = new Map<string, unknown>()
  const expand = (value: unknown, path: readonly string[]): unknown => {
    const name = nameIn(value)
    const definition = name === undefined ? undefined : named[name]
    if (name === undefined || definition === undefined) {
      return mapMembers(value, (member) => expand(member, path))
    }
    if (path.includes(name)) {
      if (!recursive.has(name)) {
        recursive.set(name, undefined)
        recursive.set(name, expand(definition, [name]))
      }
      return { $ref: `#/definitions/${name}` }
    }
    const siblings = withoutReference(value as JsonSchema)
    const inlined = expand(definition, [...path, name])
    return Object.keys(siblings).length === 0 ? inlined : { allOf: [inlined], ...siblings }
  }
  const expanded = expand(schema, []) as JsonSchema
  return recursive.size === 0
    ? expanded
    : { ...expanded, definitions: Object.fromEntries(recursive) }
}

/** Gives a schema the shared ones it reaches as `$defs` of its own; one that reaches none stays as it is. */
export function bundleSchema(schema: JsonSchema, shared: Schemas): JsonSchema {
  const usesShared = JSON.stringify(schema).includes('"#/components/schemas/')
  return usesShared ? bundleDefinitions(schema, shared) : schema
}

/** Makes a schema that can be read alone: references written out where that is short, else taken along as `$defs`. */
export function toStandaloneSchema(schema: JsonSchema, shared: Schemas): JsonSchema {
  if (!hasReference(schema)) return schema
  const root = resolveRoot(schema, shared)
  return isSmallWhenInlined(root, shared)
    ? inlineReferences(root, shared)
    : bundleDefinitions(root, shared)
}

function bundleDefinitions(schema: JsonSchema, shared: Schemas): JsonSchema {
  const move = (value: unknown) => moveReferences(value, (name) => `#/$defs/${name}`)
  const definitions = Object.entries(collectSchemas([schema], shared))
  return {
    ...(move(schema) as JsonSchema),
    $defs: Object.fromEntries(definitions.map(([name, definition]) => [name, move(definition)])),
  }
}

/** A root that only refers to a named schema is that schema. */
function resolveRoot(schema: JsonSchema, shared: Schemas): JsonSchema {
  const name = nameIn(schema)
  const definition = name === undefined ? undefined : collectSchemas([schema], shared)[name]
  return definition === undefined ? schema : { ...withoutReference(schema), ...definition }
}

function isSmallWhenInlined(schema: JsonSchema, shared: Schemas): boolean {
  const named = collectSchemas([schema], shared)
  const sizes = new Map<string, number>()
  const measure = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1
    const name = nameIn(value)
    const own = Object.entries(value).reduce(
      (sum, [key, item]) => (isDefinitions(key) ? sum : sum + measure(item)),
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

/** Copies an array or an object with other members; definitions are left out, and data stays as it is. */
function mapMembers(value: unknown, change: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => change(item, ''))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !(isDefinitions(key) && isSchemaMap(member)))
      .map(([key, member]) => [key, DATA.has(key) ? member : change(member, key)]),
  )
}

function nameIn(value: unknown): string | undefined {
  const address = addressOf(value)
  return address === undefined ? undefined : referenceName(address)
}

function referencedNames(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencedNames)
  if (!isRecord(schema)) return []
  const below = Object.entries(schema).flatMap(([key, value]) =>
    isDefinitions(key) || DATA.has(key) ? [] : referencedNames(value),
  )
  const name = nameIn(schema)
  return name === undefined ? below : [name, ...below]
}

function ownDefinitions({ $defs, definitions }: JsonSchema): Schemas {
  return { ...(isSchemaMap(definitions) && definitions), ...(isSchemaMap($defs) && $defs) }
}

function isDefinitions(key: string): boolean {
  return key === '$defs' || key === 'definitions'
}

/** A member called `definitions` may also be a property of that name; then its values are not schemas by reference. */
function isSchemaMap(value: unknown): value is Schemas {
  return isRecord(value) && Object.values(value).every((item) => isRecord(item))
}
