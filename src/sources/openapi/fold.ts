import {
  allowAny,
  type Flat,
  flattenLeaf,
  flattenSchema,
  isSameSchema,
  requireAll,
} from '../../schema/index.ts'
import type { FieldType } from '../tool-spec/index.ts'
import {
  enumOf,
  type Folded,
  type FoldedGroup,
  foldObjects,
  foldSubtypes,
  MAX_MEMBERS,
} from './fold-objects.ts'
import { typeOfEnum } from './keywords.ts'
import { asText, lose, type ReadContext } from './node.ts'

/** Flattens a schema and folds `oneOf`/`anyOf` into one plain form. */
export function foldSchema(schema: unknown, context: ReadContext, depth = 0): Folded {
  const leaf = flattenLeaf(schema, context.trail)
  if (leaf) {
    const untyped = isUntyped(leaf)
    return Object.assign(leaf, { type: plainType(leaf), untyped, alternatives: NONE, notes: NONE })
  }
  const flat = flattenSchema(schema, context)
  const notes: string[] = []
  let alternatives: readonly unknown[] = []
  const groups = flat.variants.splice(0)
  const untyped = groups.length === 0 && isUntyped(flat)
  if (groups.length === 0 && depth === 0) notes.push(...foldSubtypes(flat, context, foldSchema))
  for (const [index, members] of groups.entries()) {
    if (depth > MAX_NESTED || context.work.steps > 40_000) {
      lose(context, 'alternatives nest too deeply and are ignored')
      break
    }
    const base = toBase(flat)
    const folded = foldGroup(flat, members, context, depth)
    notes.push(...folded.notes)
    if (!folded.exact || members.length > MAX_MEMBERS) continue
    if (index > 0 && alternatives.length > 0) {
      lose(context, 'several groups of alternatives; only one is kept exactly')
    } else alternatives = base ? members.map((member) => requireAll([base, member])) : members
  }
  return Object.assign(flat, { type: plainType(flat), untyped, alternatives, notes })
}

const NONE: readonly never[] = []

const MAX_NESTED = 6

function foldGroup(
  flat: Flat,
  members: readonly unknown[],
  context: ReadContext,
  depth: number,
): FoldedGroup {
  if (members.length > MAX_MEMBERS) {
    lose(context, `only the first ${MAX_MEMBERS} of ${members.length} alternatives are read`)
  }
  const folded = members
    .slice(0, MAX_MEMBERS)
    .map((member) => foldSchema(member, { ...context, trail: flat.trail }, depth + 1))
  const usable = folded.filter((variant) => variant.cycle === undefined)
  if (usable.length < folded.length) {
    lose(context, 'an alternative that contains itself is left out', 'W102')
  }
  const [only] = usable
  if (only === undefined) return { exact: false, notes: [] }
  const isOpen = isUntyped(flat)
  flat.nullable ||= usable.some((variant) => variant.nullable || (isOpen && variant.untyped))
  if (usable.length === 1) {
    absorb(flat, only)
    return { exact: false, notes: only.notes }
  }
  if (usable.every(saysRequiredOnly)) return requiredOnly(usable, context)
  const types = new Set(usable.map((variant) => variant.type ?? 'any'))
  if (types.size === 1 && types.has('object')) return foldObjects(flat, usable, context)
  if (types.size === 1 && types.has('array')) return foldArrays(flat, usable)
  const [first] = types
  const isNumeric = [...types].every((type) => type === 'number' || type === 'integer')
  if ((types.size === 1 || isNumeric) && first !== undefined && first !== 'any') {
    return foldScalars(flat, usable, isNumeric && types.size > 1 ? 'number' : first)
  }
  return foldMixed(flat, usable, context)
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

function requiredOnly(variants: readonly Folded[], context: ReadContext): FoldedGroup {
  lose(context, 'which fields are required together is only said in the description')
  const sets = variants.map((variant) => [...variant.required].join(' and '))
  return { exact: false, notes: [`Needs ${sets.slice(0, 8).join(', or ')}`] }
}

function foldArrays(flat: Flat, variants: readonly Folded[]): FoldedGroup {
  flat.types = ['array']
  const items = variants.map((variant) => variant.items).filter((schema) => schema !== undefined)
  const distinct = items.filter(
    (schema, index) => items.findIndex((other) => isSameSchema(other, schema)) === index,
  )
  if (items.length === variants.length) {
    flat.items = allowAny(distinct)
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

/** Different kinds of value: the plain form is the one structured kind beside mere words, else text. */
function foldMixed(flat: Flat, variants: readonly Folded[], context: ReadContext): FoldedGroup {
  const structured = variants.filter(
    (variant) => variant.type === 'object' || variant.type === 'array',
  )
  const words = variants.filter(
    (variant) => variant.type === 'string' && enumOf(variant) !== undefined,
  )
  const [only] = structured
  lose(context, 'alternatives of different types; the plain form shows one of them')
  if (only !== undefined && structured.length === 1 && words.length === variants.length - 1) {
    absorb(flat, only)
  } else flat.types = ['string']
  const kinds = [...new Set(variants.map((variant) => variant.type ?? 'any value'))]
  return { exact: true, notes: [`Takes ${kinds.join(' or ')}`] }
}

/** The keywords beside the alternatives, as a schema of its own; nothing when there are none. */
function toBase(flat: Flat): unknown {
  if (flat.types.length === 0 && flat.properties.size === 0) return undefined
  const properties = Array.from(flat.properties, ([name, schemas]): [string, unknown] => [
    name,
    requireAll(schemas),
  ])
  return {
    ...(flat.types.length > 0 && { type: [...flat.types] }),
    ...(flat.properties.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(flat.required.size > 0 && { required: [...flat.required] }),
  }
}

/** Without a type, and without a list of values, a schema admits null whatever else it says. */
function isUntyped(flat: Flat): boolean {
  const isRead = flat.cycle === undefined && !flat.dangling
  return flat.types.length === 0 && enumOf(flat) === undefined && isRead
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
