import { asList, asRecord, isRecord } from '../../values/index.ts'
import { addressOf } from '../walk/index.ts'
import {
  type Doc,
  type DocTag,
  isKeyword,
  keyword,
  type MemberNode,
  type ObjectNode,
  type TypeNode,
  toIntersection,
  toUnion,
} from './type-node.ts'

/** Where a `$ref` leads: to a type that has a name, or to a schema that is written out in place. */
export type RefTarget = { readonly name: string } | { readonly schema: unknown }

/** What converting a schema needs to know about the document around it. */
export interface SchemaTypeOptions {
  /** Undefined leads to `unknown`. */
  readonly resolve?: (ref: string) => RefTarget | undefined
}

interface Context {
  readonly resolve: SchemaTypeOptions['resolve'] | undefined
  readonly depth: number
  /** References being written out; meeting one of them again ends in `unknown`. */
  readonly open: readonly string[]
}

const MAX_DEPTH = 64

/** Converts a JSON Schema (draft 4 to 2020-12, OpenAPI dialects included) into a type. */
export function toTypeNode(schema: unknown, options: SchemaTypeOptions = {}): TypeNode {
  return convert(schema, { resolve: options.resolve, depth: 0, open: [] })
}

/** Says in a doc comment what a schema says about itself. */
export function toSchemaDoc(schema: unknown): Doc {
  if (!isRecord(schema)) return {}
  const text = [schema['title'], schema['description']].findLast((part) => typeof part === 'string')
  const tags: DocTag[] = []
  if (schema['deprecated'] === true) tags.push({ name: 'deprecated' })
  for (const name of ['format', 'minimum', 'maximum', 'pattern'] as const) {
    const value = schema[name]
    if (typeof value === 'string' || typeof value === 'number')
      tags.push({ name, text: String(value) })
  }
  if (schema['default'] !== undefined) {
    tags.push({ name: 'default', text: JSON.stringify(schema['default']).slice(0, 200) })
  }
  return { text: text, tags }
}

function convert(schema: unknown, context: Context): TypeNode {
  if (schema === false) return keyword('never')
  if (!isRecord(schema) || context.depth > MAX_DEPTH) return keyword('unknown')
  const inner = { resolve: context.resolve, depth: context.depth + 1, open: context.open }
  const type = isPlain(schema) ? convertOwn(schema, inner) : convertJoined(schema, inner)
  if (type === undefined) return keyword('unknown')
  return isNullable(schema) && !isKeyword(type, 'unknown') ? toUnion([type, keyword('null')]) : type
}

function isPlain(schema: Record<string, unknown>): boolean {
  const { $ref, allOf, anyOf, oneOf } = schema
  return $ref === undefined && allOf === undefined && anyOf === undefined && oneOf === undefined
}

function convertJoined(schema: Record<string, unknown>, inner: Context): TypeNode {
  const address = addressOf(schema)
  const demands = [
    address === undefined ? undefined : convertRef(address, inner),
    convertOwn(schema, inner),
    ...asList(schema['allOf']).map((part) => convert(part, inner)),
    ...['anyOf', 'oneOf'].map((key) => {
      const parts = asList(schema[key])
      return parts.length === 0 ? undefined : toUnion(parts.map((part) => convert(part, inner)))
    }),
  ]
  return toIntersection(demands.filter((demand) => demand !== undefined))
}

function convertRef(ref: string, context: Context): TypeNode {
  const target = context.resolve?.(ref)
  if (target === undefined || context.open.includes(ref)) return keyword('unknown')
  if ('name' in target) return { kind: 'reference', name: target.name }
  return convert(target.schema, { ...context, open: [...context.open, ref] })
}

function convertOwn(schema: Record<string, unknown>, context: Context): TypeNode | undefined {
  if (schema['const'] !== undefined) return { kind: 'literal', value: schema['const'] }
  const values = asList(schema['enum'])
  if (values.length > 0) return toUnion(values.map((value) => ({ kind: 'literal', value })))
  const { type } = schema
  if (typeof type === 'string') return convertType(type, schema, context)
  const types = typesOf(schema)
  return types.length === 0
    ? undefined
    : toUnion(types.map((one) => convertType(one, schema, context)))
}

function typesOf(schema: Record<string, unknown>): readonly string[] {
  const declared = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (declared.length > 0) return declared
  const has = (...keys: readonly string[]): boolean => keys.some((key) => schema[key] !== undefined)
  if (has('properties', 'additionalProperties', 'patternProperties', 'required')) return ['object']
  return has('items', 'prefixItems') ? ['array'] : []
}

function convertType(type: string, schema: Record<string, unknown>, context: Context): TypeNode {
  switch (type) {
    case 'string':
      // Arguments say in which encoding a file is sent; what comes back has a name.
      if (schema['x-file'] !== undefined) {
        return {
          kind: 'reference',
          name: schema['contentEncoding'] === undefined ? 'File' : 'Blob',
        }
      }
      return keyword(type)
    case 'boolean':
    case 'null':
    case 'number':
      return keyword(type)
    case 'integer':
      return keyword('number')
    case 'array':
      return convertArray(schema, context)
    case 'object':
      return convertObject(schema, context)
    default:
      return keyword('unknown')
  }
}

function convertArray(schema: Record<string, unknown>, context: Context): TypeNode {
  const { items, prefixItems, additionalItems, minItems } = schema
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (places === undefined) return { kind: 'array', items: convert(items, context) }
  const after = Array.isArray(prefixItems) ? items : additionalItems
  const required = typeof minItems === 'number' ? Math.min(minItems, places.length) : 0
  return {
    kind: 'tuple',
    items: places.map((place) => convert(place, context)),
    required,
    ...(after !== false && { rest: convert(after, context) }),
  }
}

function convertObject(schema: Record<string, unknown>, context: Context): ObjectNode {
  const properties = asRecord(schema['properties'])
  const required = new Set(asList(schema['required']).filter((key) => typeof key === 'string'))
  const members: MemberNode[] = Object.entries(properties).map(([key, property]) => ({
    key,
    type: convert(property, context),
    optional: !required.has(key),
    doc: toSchemaDoc(property),
  }))
  const known = new Set(Object.keys(properties))
  const bare = [...required].filter((key) => !known.has(key))
  members.push(...bare.map((key) => ({ key, type: keyword('unknown'), optional: false, doc: {} })))
  const index = convertIndex(schema, members.length > 0, context)
  return { kind: 'object', members, ...(index && { index }) }
}

// Objects are open unless they say otherwise, but saying so in every type would allow every typing
// mistake; only an object of which nothing is known, or that describes its other members, is open.
function convertIndex(
  schema: Record<string, unknown>,
  hasMembers: boolean,
  context: Context,
): TypeNode | undefined {
  const { additionalProperties, patternProperties } = schema
  const patterns = isRecord(patternProperties) ? Object.values(patternProperties) : []
  const others = isRecord(additionalProperties) ? [additionalProperties] : []
  const described = [...patterns, ...others].map((part) => convert(part, context))
  if (described.length > 0) return toUnion(described)
  if (additionalProperties === true) return keyword('unknown')
  return hasMembers || additionalProperties === false ? undefined : keyword('unknown')
}

function isNullable(schema: Record<string, unknown>): boolean {
  return schema['nullable'] === true || schema['x-nullable'] === true
}
