import { resolvePointer } from '../../../src/values/json.ts'
import type { Schema, SchemaObject } from '../model/types.ts'

/** What kind of control a schema asks for. */
export type FieldKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'fixed'
  | 'object'
  | 'map'
  | 'list'
  | 'tuple'
  | 'variants'
  | 'json'

const NOTHING: SchemaObject = { not: {} }

/** Gives a schema without references at its top, its `allOf` merged in, and its null branch taken out. */
export function resolveSchema(
  schema: Schema | undefined,
  root: Schema,
  followed: ReadonlySet<string> = new Set(),
): SchemaObject {
  let current = toObject(schema)
  const seen = new Set(followed)
  while (current.$ref !== undefined) {
    const { $ref, ...beside } = current
    const target =
      typeof root === 'object' && $ref.startsWith('#') ? findReference(root, $ref) : undefined
    // A schema may be made of itself; what it says again adds nothing.
    if (target === undefined || seen.has($ref)) return beside
    seen.add($ref)
    current = { ...toObject(target), ...beside }
  }
  if (current.allOf !== undefined) current = mergeAll(current, root, seen)
  return unwrapNull(current, root, seen)
}

/** Tells whether null is among the accepted values. */
export function isNullable(schema: Schema | undefined, root: Schema): boolean {
  if (typeof schema !== 'object') return false
  const { $ref, ...rest } = schema
  const direct = $ref === undefined ? schema : { ...toObject(findReference(root, $ref)), ...rest }
  if (direct.nullable === true || direct.const === null || direct.enum?.includes(null)) return true
  if (typesOf(direct).includes('null')) return true
  return [...(direct.anyOf ?? []), ...(direct.oneOf ?? [])].some((branch) => isNullBranch(branch))
}

/** Lists the types a schema names. */
export function typesOf(schema: SchemaObject): readonly string[] {
  if (schema.type === undefined) return []
  return typeof schema.type === 'string' ? [schema.type] : schema.type
}

/** Chooses the control for a resolved schema. */
export function toFieldKind(schema: SchemaObject): FieldKind {
  if (schema.const !== undefined) return 'fixed'
  if (schema.enum !== undefined) return schema.enum.every(isScalar) ? 'choice' : 'json'
  const variants = variantsOf(schema)
  if (variants.length > 1) return 'variants'
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length > 1) return 'json'
  switch (types[0] ?? guessType(schema)) {
    case 'string':
      return 'text'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return schema.prefixItems || Array.isArray(schema.items) ? 'tuple' : 'list'
    case 'object':
      return toObjectKind(schema)
    default:
      return 'json'
  }
}

/** Lists the alternatives of a schema, null aside. */
export function variantsOf(schema: SchemaObject): readonly Schema[] {
  return (schema.oneOf ?? schema.anyOf ?? []).filter((branch) => !isNullBranch(branch))
}

/** Gives the schemas of a tuple's places. */
export function placesOf(schema: SchemaObject): readonly Schema[] {
  return (
    schema.prefixItems ?? (Array.isArray(schema.items) ? (schema.items as readonly Schema[]) : [])
  )
}

/** Names the type of a schema in two or three words. */
export function describeType(schema: Schema | undefined, root: Schema, depth = 0): string {
  if (schema === true) return 'anything'
  if (schema === false) return 'nothing'
  const resolved = resolveSchema(schema, root)
  const name = describeResolved(resolved, root, depth)
  return isNullable(schema, root) ? `${name} or null` : name
}

/** Lists what a value must satisfy besides its type. */
export function describeRules(schema: SchemaObject): readonly string[] {
  const rules: string[] = []
  const add = (value: unknown, text: string) => {
    if (value !== undefined) rules.push(text)
  }
  add(schema.minLength, `at least ${schema.minLength} characters`)
  add(schema.maxLength, `at most ${schema.maxLength} characters`)
  add(schema.minimum, `≥ ${schema.minimum}`)
  add(schema.maximum, `≤ ${schema.maximum}`)
  if (typeof schema.exclusiveMinimum === 'number') rules.push(`> ${schema.exclusiveMinimum}`)
  if (typeof schema.exclusiveMaximum === 'number') rules.push(`< ${schema.exclusiveMaximum}`)
  add(schema.multipleOf, `multiple of ${schema.multipleOf}`)
  add(schema.minItems, `at least ${schema.minItems} items`)
  add(schema.maxItems, `at most ${schema.maxItems} items`)
  if (schema.uniqueItems) rules.push('no duplicates')
  add(schema.pattern, `matches ${schema.pattern}`)
  add(schema.default, `default ${JSON.stringify(schema.default)}`)
  return rules
}

function describeResolved(schema: SchemaObject, root: Schema, depth: number): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return 'choice'
  const variants = variantsOf(schema)
  if (variants.length > 1) return `one of ${variants.length}`
  const [type = guessType(schema) ?? 'anything'] = typesOf(schema).filter((name) => name !== 'null')
  if (
    type === 'array' &&
    depth < 3 &&
    typeof schema.items === 'object' &&
    !Array.isArray(schema.items)
  ) {
    return `list of ${describeType(schema.items as Schema, root, depth + 1)}`
  }
  if (type === 'array') return 'list'
  return schema.format === undefined ? type : `${type} · ${schema.format}`
}

function toObject(schema: Schema | undefined): SchemaObject {
  if (schema === undefined || schema === true) return {}
  return schema === false ? NOTHING : schema
}

function findReference(root: Schema, reference: string): Schema | undefined {
  if (!reference.startsWith('#')) return undefined
  return resolvePointer(root, decode(reference.slice(1))) as Schema | undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function mergeAll(
  { allOf = [], ...base }: SchemaObject,
  root: Schema,
  followed: ReadonlySet<string>,
): SchemaObject {
  const parts = [base, ...allOf.map((part) => resolveSchema(part, root, followed))]
  const merged: SchemaObject = {}
  const properties: Record<string, Schema> = {}
  for (const part of parts) {
    Object.assign(merged, part)
    Object.assign(properties, part.properties)
  }
  const required = [...new Set(parts.flatMap((part) => part.required ?? []))]
  return {
    ...merged,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

/** A choice between null and one other thing is that other thing, nullable. */
function unwrapNull(
  schema: SchemaObject,
  root: Schema,
  followed: ReadonlySet<string>,
): SchemaObject {
  const branches = schema.oneOf ?? schema.anyOf
  if (branches === undefined) return schema
  const variants = variantsOf(schema)
  const [only] = variants
  if (variants.length === 1) {
    const { oneOf: _one, anyOf: _any, ...rest } = schema
    return { ...resolveSchema(only, root, followed), ...rest }
  }
  const constants = variants.map((variant) => toObject(variant).const)
  if (constants.every((value) => value !== undefined && isScalar(value))) {
    const { oneOf: _one, anyOf: _any, ...rest } = schema
    return { ...rest, enum: constants }
  }
  return schema
}

function isNullBranch(schema: Schema): boolean {
  return typeof schema === 'object' && (schema.type === 'null' || schema.const === null)
}

function guessType(schema: SchemaObject): string | undefined {
  if (schema.properties || schema.required || typeof schema.additionalProperties === 'object')
    return 'object'
  if (schema.items !== undefined || schema.prefixItems) return 'array'
  if (schema.minLength ?? schema.maxLength ?? schema.pattern ?? schema.format) return 'string'
  return schema.minimum === undefined && schema.maximum === undefined ? undefined : 'number'
}

function toObjectKind(schema: SchemaObject): FieldKind {
  if (schema.properties && Object.keys(schema.properties).length > 0) return 'object'
  const open = schema.additionalProperties
  if (typeof open === 'object') return 'map'
  return schema.required && schema.required.length > 0 ? 'object' : 'json'
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
