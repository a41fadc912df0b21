import type { FieldType } from '../spec/types.ts'
import {
  type Flat,
  type FlattenContext,
  flattenLeaf,
  flattenSchema,
  type Trail,
} from './flatten.ts'
import { asList, asText, entriesOf, read } from './node.ts'
import { typeOfEnum } from './scalar.ts'

/** A flat schema whose alternatives are folded in. */
export interface Folded extends Flat {
  /** The one plain type, or nothing when any value goes. */
  readonly type: FieldType | undefined
  /** Schemas of the exact alternatives, when the plain form does not say it all. */
  readonly alternatives: readonly unknown[]
  /** Sentences for the description. */
  readonly notes: readonly string[]
}

/** Flattens a schema and folds `oneOf`/`anyOf` into one plain form. */
export function foldSchema(
  schema: unknown,
  trail: Trail | undefined,
  context: FlattenContext,
  place: string,
  depth = 0,
): Folded {
  const leaf = flattenLeaf(schema, trail)
  if (leaf) return Object.assign(leaf, { type: plainType(leaf), alternatives: NONE, notes: NONE })
  const flat = flattenSchema(schema, trail, context, place)
  const notes: string[] = []
  let alternatives: readonly unknown[] = []
  const groups = flat.variants.splice(0)
  if (groups.length === 0 && depth === 0) foldSubtypes(flat, trail, context, place, notes)
  for (const [index, members] of groups.entries()) {
    if (depth > MAX_NESTED || context.work.steps > 40_000) {
      context.warn('W101', 'alternatives nest too deeply and are ignored', place)
      break
    }
    const base = toBase(flat)
    const folded = foldGroup(flat, members, context, place, depth)
    notes.push(...folded.notes)
    if (!folded.exact) continue
    if (index > 0 && alternatives.length > 0) {
      context.warn('W101', 'several groups of alternatives; only one is kept exactly', place)
    } else
      alternatives = members.map((member) =>
        base === undefined ? member : { allOf: [base, member] },
      )
  }
  return Object.assign(flat, { type: plainType(flat), alternatives, notes })
}

const NONE: readonly never[] = []

/**
 * A discriminator without alternatives stands for subtypes, each of which includes this very type:
 * they are read along the trail that led here, where including it is no cycle.
 */
function foldSubtypes(
  flat: Flat,
  trail: Trail | undefined,
  context: FlattenContext,
  place: string,
  notes: string[],
): void {
  const discriminator = flat.keywords['discriminator']
  if (discriminator === undefined || flat.cycle !== undefined) return
  const owner = ownerOf(flat.trail, discriminator)
  // A subtype inherits the discriminator of its base, but not its siblings.
  const isOwn =
    owner === flat.root || entriesOf(read(owner, 'properties')).length === flat.properties.size
  if (owner === undefined || !isOwn) return
  const schemas = subtypesOf(owner, discriminator, context)
  const folded = schemas
    .slice(0, MAX_MEMBERS)
    .map((schema) => foldSchema(schema, trail, context, place, 1))
    .filter((subtype) => subtype.type === 'object' && subtype.cycle === undefined)
  const names = new Set(folded.flatMap((subtype) => [...subtype.properties.keys()]))
  if (folded.length === 0) return
  const fits = schemas.length <= MAX_MEMBERS && names.size <= MAX_MERGED
  flat.open = !fits
  const what = fits
    ? 'are merged into one object'
    : 'are too many to list; their fields are taken as they come'
  context.warn('W101', `subtypes of the schema ${what}`, place)
  notes.push(...(fits ? foldObjects(flat, folded, context, place).notes : describeVariants(folded)))
}

/** Fields of a merged object; more than this no model can choose from. */
const MAX_MERGED = 100

function subtypesOf(owner: object, discriminator: unknown, context: FlattenContext): unknown[] {
  const targets = entriesOf(read(discriminator, 'mapping')).flatMap(([, to]) => asText(to) ?? [])
  if (targets.length > 0) return [...new Set(targets)].map(($ref) => ({ $ref }))
  return context.resolver.subtypesOf(owner).map(({ node, name }) => ({
    allOf: [node],
    'x-ms-discriminator-value': read(node, 'x-ms-discriminator-value') ?? name,
  }))
}

/** The schema on the trail that declares the discriminator. */
function ownerOf(trail: Trail | undefined, discriminator: unknown): object | undefined {
  for (let at = trail; at; at = at.above) {
    if (read(at.node, 'discriminator') === discriminator) return at.node
  }
  return undefined
}

const MAX_NESTED = 6
const MAX_MEMBERS = 50

interface FoldedGroup {
  /** True when the alternatives have to be kept beside the plain form. */
  readonly exact: boolean
  readonly notes: readonly string[]
}

function foldGroup(
  flat: Flat,
  members: readonly unknown[],
  context: FlattenContext,
  place: string,
  depth: number,
): FoldedGroup {
  if (members.length > MAX_MEMBERS) {
    context.warn(
      'W101',
      `only the first ${MAX_MEMBERS} of ${members.length} alternatives are read`,
      place,
    )
  }
  const folded = members
    .slice(0, MAX_MEMBERS)
    .map((member) => foldSchema(member, flat.trail, context, place, depth + 1))
  const usable = folded.filter((variant) => variant.cycle === undefined)
  if (usable.length < folded.length) {
    context.warn('W102', 'an alternative that contains itself is left out', place)
  }
  const [only] = usable
  if (only === undefined) return { exact: false, notes: [] }
  flat.nullable ||= usable.some((variant) => variant.nullable)
  if (usable.length === 1) {
    absorb(flat, only)
    return { exact: false, notes: only.notes }
  }
  if (usable.every((variant) => saysRequiredOnly(variant)))
    return requiredOnly(usable, context, place)
  const types = new Set(usable.map((variant) => variant.type ?? 'any'))
  if (types.size === 1 && types.has('object')) return foldObjects(flat, usable, context, place)
  if (types.size === 1 && types.has('array')) return foldArrays(flat, usable)
  const [first] = types
  const isNumeric = [...types].every((type) => type === 'number' || type === 'integer')
  if ((types.size === 1 || isNumeric) && first !== undefined && first !== 'any') {
    return foldScalars(flat, usable, isNumeric && types.size > 1 ? 'number' : first)
  }
  return foldMixed(flat, usable, context, place)
}

function absorb(flat: Flat, only: Folded): void {
  if (only.types.length > 0) flat.types = [...only.types]
  for (const [key, value] of Object.entries(only.keywords)) {
    if (!Object.hasOwn(flat.keywords, key)) flat.keywords[key] = value
  }
  for (const [name, schemas] of only.properties) {
    const known = flat.properties.get(name) ?? []
    flat.properties.set(name, [...known, ...schemas.filter((schema) => !known.includes(schema))])
  }
  for (const name of only.required) flat.required.add(name)
  flat.items ??= only.items
  flat.additional ??= only.additional
  flat.name ??= only.name
  flat.trail = only.trail
}

function saysRequiredOnly(variant: Folded): boolean {
  return variant.type === undefined && variant.properties.size === 0 && variant.required.size > 0
}

function requiredOnly(
  variants: readonly Folded[],
  context: FlattenContext,
  place: string,
): FoldedGroup {
  context.warn('W101', 'which fields are required together is only said in the description', place)
  const sets = variants.map((variant) => [...variant.required].join(' and '))
  return { exact: false, notes: [`Needs ${sets.slice(0, 8).join(', or ')}`] }
}

function foldObjects(
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

function describeVariants(variants: readonly Folded[]): string[] {
  const texts = variants.slice(0, 8).map((variant) => {
    const title = variant.name ?? asText(variant.keywords['title'])
    const names = [...variant.required].slice(0, 5).join(', ')
    if (title === undefined && names === '') return undefined
    return names === '' ? title : `${title ?? 'one'} (needs ${names})`
  })
  const known = texts.filter((text) => text !== undefined)
  return known.length === 0 ? [] : [`One of: ${known.join('; ')}`]
}

function foldArrays(flat: Flat, variants: readonly Folded[]): FoldedGroup {
  flat.types = ['array']
  const items = variants.map((variant) => variant.items).filter((schema) => schema !== undefined)
  const distinct = items.filter(
    (schema, index) => items.findIndex((other) => sameSchema(other, schema)) === index,
  )
  if (items.length === variants.length) {
    flat.items = distinct.length === 1 ? distinct[0] : { anyOf: distinct }
  }
  return { exact: distinct.length > 1, notes: [] }
}

function foldScalars(flat: Flat, variants: readonly Folded[], type: FieldType): FoldedGroup {
  flat.types = [type]
  const sets = variants.map((variant) => enumOf(variant))
  if (sets.every((set) => set !== undefined)) {
    flat.keywords['enum'] = [...new Set(sets.flatMap((set) => set ?? []))]
    return { exact: false, notes: [] }
  }
  const differs = variants.some((variant) =>
    CONSTRAINTS.some((key) => Object.hasOwn(variant.keywords, key)),
  )
  if (!differs) {
    const formats = [...new Set(variants.map((variant) => asText(variant.keywords['format'])))]
    if (formats.length === 1 && formats[0] !== undefined) flat.keywords['format'] = formats[0]
  }
  return { exact: differs, notes: [] }
}

const CONSTRAINTS = ['enum', 'const', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength']

function enumOf(flat: Flat): readonly unknown[] | undefined {
  if (Object.hasOwn(flat.keywords, 'const')) return [flat.keywords['const']]
  const values = flat.keywords['enum']
  return Array.isArray(values) ? values : undefined
}

/** Different kinds of value: the plain form is the one structured kind beside mere words, else text. */
function foldMixed(
  flat: Flat,
  variants: readonly Folded[],
  context: FlattenContext,
  place: string,
): FoldedGroup {
  const structured = variants.filter(
    (variant) => variant.type === 'object' || variant.type === 'array',
  )
  const words = variants.filter(
    (variant) => variant.type === 'string' && enumOf(variant) !== undefined,
  )
  const [only] = structured
  context.warn('W101', 'alternatives of different types; the plain form shows one of them', place)
  if (only !== undefined && structured.length === 1 && words.length === variants.length - 1) {
    absorb(flat, only)
  } else flat.types = ['string']
  const kinds = [...new Set(variants.map((variant) => variant.type ?? 'any value'))]
  return { exact: true, notes: [`Takes ${kinds.join(' or ')}`] }
}

/** The keywords beside the alternatives, as a schema of its own; nothing when there are none. */
function toBase(flat: Flat): unknown {
  if (flat.types.length === 0 && flat.properties.size === 0) return undefined
  const properties = Array.from(flat.properties, ([name, schemas]) => [
    name,
    schemas.length === 1 ? schemas[0] : { allOf: schemas },
  ])
  return {
    ...(flat.types.length > 0 && { type: [...flat.types] }),
    ...(flat.properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(flat.required.size > 0 && { required: [...flat.required] }),
  }
}

function plainType(flat: Flat): FieldType | undefined {
  const [first, second] = flat.types
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) return undefined
  if (flat.properties.size > 0 || flat.additional !== undefined) return 'object'
  if (flat.items !== undefined) return 'array'
  const values = enumOf(flat)
  if (values !== undefined) return typeOfEnum(values)
  const has = (...keys: string[]): boolean => keys.some((key) => Object.hasOwn(flat.keywords, key))
  if (has('pattern', 'minLength', 'maxLength')) return 'string'
  if (has('minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum'))
    return 'number'
  if (has('minItems', 'maxItems', 'uniqueItems')) return 'array'
  const format = asText(flat.keywords['format'])
  if (format === undefined) return undefined
  if (/^u?int\d*$/.test(format)) return 'integer'
  return /^(float|double|decimal)$/.test(format) ? 'number' : 'string'
}

function sameSchema(a: unknown, b: unknown): boolean {
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
