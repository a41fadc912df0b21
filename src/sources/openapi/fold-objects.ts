import {
  allowAny,
  type Flat,
  flattenSchema,
  isSameSchema,
  requireAll,
  type Trail,
  toReference,
} from '../../schema/index.ts'
import { asList, entriesOf } from '../../values/index.ts'
import type { FieldType } from '../tool-spec/index.ts'
import { asText, lose, type ReadContext, read } from './node.ts'

/** A flat schema whose alternatives are folded in. */
export interface Folded extends Flat {
  /** The one plain type, or nothing when any value goes. */
  readonly type: FieldType | undefined
  /** True when neither a type nor a list of values keeps null out. */
  readonly untyped: boolean
  /** Schemas of the exact alternatives, when the plain form does not say it all. */
  readonly alternatives: readonly unknown[]
  /** Sentences for the description. */
  readonly notes: readonly string[]
}

/** Folds a schema; handed to the parts of the folding that need the whole of it. */
export type Fold = (schema: unknown, context: ReadContext, depth?: number) => Folded

/** What folding a group of alternatives gives. */
export interface FoldedGroup {
  /** True when the alternatives have to be kept beside the plain form. */
  readonly exact: boolean
  readonly notes: readonly string[]
}

/** Most alternatives that are looked at. */
export const MAX_MEMBERS = 50

/** Gives the values a schema is restricted to, by `const` or `enum`. */
export function enumOf(flat: Flat): readonly unknown[] | undefined {
  if (Object.hasOwn(flat.keywords, 'const')) return [flat.keywords['const']]
  const values = flat.keywords['enum']
  return Array.isArray(values) ? values : undefined
}

/**
 * Folds the subtypes that a discriminator without alternatives stands for. Each of them includes
 * this very type: they are read along the trail that led here, where including it is not a cycle.
 */
export function foldSubtypes(flat: Flat, context: ReadContext, fold: Fold): readonly string[] {
  const discriminator = flat.keywords['discriminator']
  if (discriminator === undefined || flat.cycle !== undefined) return []
  const owner = ownerOf(flat.trail, discriminator)
  // A subtype inherits the discriminator of its base, but not its siblings.
  const isOwn =
    owner === flat.root || entriesOf(read(owner, 'properties')).length === flat.properties.size
  if (owner === undefined || !isOwn) return []
  const schemas = subtypesOf(owner, discriminator, context)
  const folded = schemas
    .slice(0, MAX_MEMBERS)
    .map((schema) => fold(schema, context, 1))
    .filter((subtype) => subtype.type === 'object' && subtype.cycle === undefined)
  const names = new Set(folded.flatMap((subtype) => [...subtype.properties.keys()]))
  if (folded.length === 0) return []
  const fits = schemas.length <= MAX_MEMBERS && names.size <= MAX_MERGED
  flat.open = !fits
  const what = fits
    ? 'are merged into one object'
    : 'are too many to list; their fields are taken as they come'
  lose(context, `subtypes of the schema ${what}`)
  return fits ? foldObjects(flat, folded, context).notes : describeVariants(folded)
}

/** Fields of a merged object; more than this no model can choose from. */
const MAX_MERGED = 100

function subtypesOf(owner: object, discriminator: unknown, context: ReadContext): unknown[] {
  const targets = entriesOf(read(discriminator, 'mapping')).flatMap(([, to]) => asText(to) ?? [])
  if (targets.length > 0) return [...new Set(targets)].map(toReference)
  return context.resolver.subtypesOf(owner).map(({ node, name }) => {
    const value = read(node, 'x-ms-discriminator-value') ?? name
    return requireAll([node, { 'x-ms-discriminator-value': value }])
  })
}

/** The schema on the trail that declares the discriminator. */
function ownerOf(trail: Trail | undefined, discriminator: unknown): object | undefined {
  for (let at = trail; at; at = at.above) {
    if (read(at.node, 'discriminator') === discriminator) return at.node
  }
  return undefined
}

/** Folds alternatives that are all objects into one: the union of their properties. */
export function foldObjects(
  flat: Flat,
  variants: readonly Folded[],
  context: ReadContext,
): FoldedGroup {
  const discriminator = asText(
    read(flat.keywords['discriminator'], 'propertyName') ?? flat.keywords['discriminator'],
  )
  const union = new Map<string, unknown[]>()
  for (const variant of variants) {
    for (const [name, schemas] of variant.properties) {
      const schema = requireAll(schemas)
      const known = union.get(name) ?? []
      if (!known.some((other) => isSameSchema(other, schema))) union.set(name, [...known, schema])
    }
  }
  for (const [name, schemas] of union) {
    const merged = allowAny(schemas)
    const own = flat.properties.get(name) ?? []
    if (!own.includes(merged)) flat.properties.set(name, own.length > 0 ? own : [merged])
  }
  const shared = [...(variants[0]?.required ?? [])].filter((name) =>
    variants.every((variant) => variant.required.has(name)),
  )
  for (const name of shared) flat.required.add(name)
  flat.types = ['object']
  if (
    variants.some((variant) => variant.additional !== undefined && variant.additional !== false)
  ) {
    flat.additional ??= true
  }
  if (discriminator !== undefined) {
    const values = discriminatorValues(flat, variants, discriminator, context)
    if (values.length > 0) {
      const own = flat.properties.get(discriminator)?.[0]
      const described = asText(read(own, 'description'))
      const single = {
        type: 'string',
        enum: values,
        ...(described !== undefined && { description: described }),
      }
      flat.properties.set(discriminator, [single])
    }
  }
  return { exact: true, notes: describeVariants(variants) }
}

/** Values of the discriminator: what each variant demands, else the mapping, else the type names. */
function discriminatorValues(
  flat: Flat,
  variants: readonly Folded[],
  name: string,
  context: ReadContext,
): string[] {
  const mapping = entriesOf(read(flat.keywords['discriminator'], 'mapping')).map(([key]) => key)
  if (mapping.length > 0) return [...new Set(mapping)]
  const values = variants.flatMap((variant) => {
    const schema = variant.properties.get(name)?.[0]
    const inner =
      schema === undefined ? undefined : flattenSchema(schema, { ...context, trail: variant.trail })
    const demanded = inner?.keywords['const'] ?? asList(inner?.keywords['enum'])
    const texts = (Array.isArray(demanded) ? demanded : [demanded]).flatMap(
      (value) => asText(value) ?? [],
    )
    if (texts.length > 0) return texts
    return asText(variant.keywords['x-ms-discriminator-value']) ?? variant.name ?? []
  })
  return [...new Set(values)]
}

/** Names the alternatives, with what each one needs. */
export function describeVariants(variants: readonly Folded[]): string[] {
  const texts = variants.slice(0, 8).map((variant) => {
    const title = variant.name ?? asText(variant.keywords['title'])
    const names = [...variant.required].slice(0, 5).join(', ')
    if (title === undefined && names === '') return undefined
    return names === '' ? title : `${title ?? 'one'} (needs ${names})`
  })
  const known = texts.filter((text) => text !== undefined)
  return known.length === 0 ? [] : [`One of: ${known.join('; ')}`]
}
