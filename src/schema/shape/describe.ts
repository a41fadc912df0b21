import { isRecord, toText } from '../../values/index.ts'
import { addressOf, referenceLabel } from '../walk/index.ts'

/** What a schema is in the first place, for those who put it into a few words. */
export type SchemaDescription =
  | { readonly kind: 'reference'; readonly name: string }
  | { readonly kind: 'values'; readonly values: readonly unknown[] }
  | { readonly kind: 'choice' | 'all'; readonly parts: readonly unknown[] }
  | { readonly kind: 'array'; readonly items: unknown }
  | { readonly kind: 'object'; readonly names: readonly string[] }
  /** The types and the format: `string | null (date)`. */
  | { readonly kind: 'plain'; readonly text: string }

/** Tells what a schema is in the first place: a reference, a list of values, a choice, a list, an object or a type. */
export function describeSchema(schema: unknown): SchemaDescription {
  if (!isRecord(schema)) return { kind: 'plain', text: 'anything' }
  const { type, format, enum: values, anyOf, oneOf, allOf, properties } = schema
  const address = addressOf(schema)
  if (address !== undefined) return { kind: 'reference', name: referenceLabel(address) }
  if (schema['const'] !== undefined) return { kind: 'values', values: [schema['const']] }
  if (Array.isArray(values)) return { kind: 'values', values }
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) return { kind: 'choice', parts: choices }
  const isTyped = type !== undefined || properties !== undefined
  if (Array.isArray(allOf) && !isTyped) return { kind: 'all', parts: allOf }
  if (type === 'array') return { kind: 'array', items: schema['items'] }
  if (isRecord(properties)) return { kind: 'object', names: Object.keys(properties) }
  const text = [type ?? 'anything'].flat().map(toText).join(' | ')
  return { kind: 'plain', text: typeof format === 'string' ? `${text} (${format})` : text }
}
