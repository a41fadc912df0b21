import { isList, isRecord } from '../../values/index.ts'
import type { JsonSchema } from './keywords.ts'
import { eachSubschema } from './keywords.ts'
import { addressOf, type FindReference, resolveLocal } from './reference.ts'

/** Keywords that combine several schemas for one value. */
const COMBINATIONS = ['allOf', 'anyOf', 'oneOf']

/** Keywords whose schemas look at the same value as the schema around them, under whatever condition. */
export const IN_PLACE: readonly string[] = [
  ...COMBINATIONS,
  ...['if', 'then', 'else', 'dependentSchemas', 'dependencies'],
]

/** Lists the schemas that apply to the same value as a schema: what it refers to, and what it combines. */
export function listApplied(
  schema: JsonSchema,
  find: FindReference,
  keywords: readonly string[] = COMBINATIONS,
): readonly JsonSchema[] {
  const found = [addressOf(schema), schema['$dynamicRef']]
    .filter((ref) => typeof ref === 'string')
    .map(find)
    .filter(isRecord)
  for (const keyword of keywords)
    eachSubschema(keyword, schema[keyword], (inner) => found.push(inner))
  return found
}

/** Lists schemas and all that apply to the same value, through any number of references and combinations. */
export function listInPlace(
  schemas: readonly unknown[],
  find: FindReference,
  keywords?: readonly string[],
): readonly JsonSchema[] {
  const parts = new Set(schemas.filter(isRecord))
  for (const part of parts) for (const next of listApplied(part, find, keywords)) parts.add(next)
  return [...parts]
}

/** Lists the schemas in place of which each reference is looked up in one document. */
export function listLocalInPlace(
  schemas: readonly unknown[],
  root: JsonSchema,
): readonly JsonSchema[] {
  return listInPlace(schemas, (ref) => resolveLocal(root, ref))
}

/** Gives the schema of a member of an object, named or not. */
export function memberSchema(
  { properties, additionalProperties }: JsonSchema,
  name: string,
): unknown {
  return isRecord(properties) && Object.hasOwn(properties, name)
    ? properties[name]
    : additionalProperties
}

/** Gives the schema of an item of a list. */
export function itemSchema({ prefixItems, items }: JsonSchema, index: number): unknown {
  const first = isList(prefixItems) ? prefixItems : isList(items) ? items : []
  return index < first.length ? first[index] : items
}

/** Joins schemas that must all hold into one. */
export function requireAll(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { allOf: schemas }
}

/** Joins schemas of which one must hold into one. */
export function allowAny(schemas: readonly unknown[]): unknown {
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas }
}
