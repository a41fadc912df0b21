import { asList, entriesOf } from '../core/json.ts'
import { type Flat, type FlattenContext, flattenSchema } from './flatten.ts'
import type { Folded, FoldedGroup } from './folded.ts'
import { asText, read } from './node.ts'

/** Folds alternatives that are all objects into one: the union of their properties. */
export function foldObjects(
  flat: Flat,
  variants: readonly Folded[],
  context: FlattenContext,
  place: string,
): FoldedGroup {
  const discriminator = asText(
    read(flat.keywords['discriminator'], 'propertyName') ?? flat.keywords['discriminator'],
  )
  const union = new Map<string, unknown[]>()
  for (const variant of variants) {
    for (const [name, schemas] of variant.properties) {
      const schema = schemas.length === 1 ? schemas[0] : { allOf: schemas }
      const known = union.get(name) ?? []
      if (!known.some((other) => sameSchema(other, schema))) union.set(name, [...known, schema])
    }
  }
  for (const [name, schemas] of union) {
    const merged = schemas.length === 1 ? schemas[0] : { anyOf: schemas }
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
    const values = discriminatorValues(flat, variants, discriminator, context, place)
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
  context: FlattenContext,
  place: string,
): string[] {
  const mapping = entriesOf(read(flat.keywords['discriminator'], 'mapping')).map(([key]) => key)
  if (mapping.length > 0) return [...new Set(mapping)]
  const values = variants.flatMap((variant) => {
    const schema = variant.properties.get(name)?.[0]
    const inner =
      schema === undefined ? undefined : flattenSchema(schema, variant.trail, context, place)
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

/** Tells whether two schemas accept the same, as far as a look at one level can tell. */
export function sameSchema(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const [left, right] = [read(a, '$ref'), read(b, '$ref')]
  if (typeof left === 'string' || typeof right === 'string') return left === right
  const size = (value: unknown): number => entriesOf(value).length
  if (size(a) !== size(b) || size(a) === 0) return false
  return entriesOf(a).every(([key, value]) => {
    if (IGNORED.has(key)) return true
    const other = read(b, key)
    if (Array.isArray(value) && Array.isArray(other)) {
      return value.length === other.length && value.every((entry, index) => entry === other[index])
    }
    return value === other
  })
}

/** Keywords that do not change what a schema accepts. */
const IGNORED = new Set(['description', 'title', 'example', 'examples'])
