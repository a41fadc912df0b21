import type { EffectiveSchema } from '../../schema/index.ts'
import { asRecord, isRecord, toShort } from '../../values/index.ts'
import type { SchemaRuleName } from './rules.ts'

/** What the comparison of two schemas found, before it has a class. */
export interface SchemaFinding {
  readonly rule: SchemaRuleName
  readonly message: string
  readonly oldPointer?: string
  readonly newPointer?: string
}

/** The two schemas of a comparison, read. */
export interface EffectivePair {
  readonly old: EffectiveSchema
  readonly now: EffectiveSchema
}

type Findings = readonly SchemaFinding[]

/** Compares what values two schemas allow, and what they say about them: all but their members and alternatives. */
export function compareEffective(pair: EffectivePair): Findings {
  return [
    ...Object.keys(LIMITS).flatMap((keyword) => compareLimit(pair, keyword)),
    ...compareFlag(pair, 'uniqueItems'),
    ...compareMultiple(pair),
    ...compareText(pair, 'format'),
    ...compareText(pair, 'pattern'),
    ...compareDefault(pair),
    ...compareDiscriminator(pair),
    ...compareDocs(pair),
    ...compareKinds(pair),
    ...compareNull(pair),
    ...compareListed(pair),
    ...compareAdditional(pair),
  ]
}

function at({ old, now }: EffectivePair, rule: SchemaRuleName, message: string): Findings {
  return [{ rule, message, oldPointer: old.pointer, newPointer: now.pointer }]
}

/** Says what became of a keyword. */
function changed(
  pair: EffectivePair,
  rule: SchemaRuleName,
  keyword: string,
  [before, after]: readonly [unknown, unknown],
): Findings {
  if (before === undefined) return at(pair, rule, `${keyword} ${show(after)} came`)
  if (after === undefined) return at(pair, rule, `${keyword} ${show(before)} went`)
  return at(pair, rule, `${keyword} went from ${show(before)} to ${show(after)}`)
}

function show(value: unknown): string {
  return toShort(JSON.stringify(value) ?? 'nothing', 59)
}

/** Keywords with a number, and whether a larger one allows less. */
const LIMITS: Readonly<Record<string, 'lower' | 'upper'>> = {
  minimum: 'lower',
  exclusiveMinimum: 'lower',
  minLength: 'lower',
  minItems: 'lower',
  minProperties: 'lower',
  maximum: 'upper',
  exclusiveMaximum: 'upper',
  maxLength: 'upper',
  maxItems: 'upper',
  maxProperties: 'upper',
}

function compareLimit(pair: EffectivePair, keyword: string): Findings {
  const before = readLimit(pair.old, keyword)
  const after = readLimit(pair.now, keyword)
  if (before === after) return []
  const isLower = LIMITS[keyword] === 'lower'
  const isTighter =
    before === undefined || (after !== undefined && (isLower ? after > before : after < before))
  return changed(pair, isTighter ? 'limit-tightened' : 'limit-loosened', keyword, [before, after])
}

/** A lower limit of nothing is none; in OpenAPI 3.0 exclusiveMinimum is a flag beside minimum. */
function readLimit({ keywords }: EffectiveSchema, keyword: string): number | undefined {
  const value = keywords[keyword]
  if (value === true && keyword.startsWith('exclusive')) {
    const limit = keywords[keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum']
    return typeof limit === 'number' ? limit : undefined
  }
  if (typeof value !== 'number') return undefined
  return value === 0 && /^min(?:Length|Items|Properties)$/.test(keyword) ? undefined : value
}

function compareFlag(pair: EffectivePair, keyword: string): Findings {
  const before = pair.old.keywords[keyword] === true
  const after = pair.now.keywords[keyword] === true
  if (before === after) return []
  return changed(pair, after ? 'limit-tightened' : 'limit-loosened', keyword, [before, after])
}

function compareMultiple(pair: EffectivePair): Findings {
  const { multipleOf: before } = pair.old.keywords
  const { multipleOf: after } = pair.now.keywords
  if (before === after) return []
  const isLooser =
    after === undefined ||
    (typeof before === 'number' && typeof after === 'number' && before % after === 0)
  const rule = isLooser ? 'limit-loosened' : 'limit-tightened'
  return changed(pair, rule, 'multipleOf', [before, after])
}

function compareText(pair: EffectivePair, keyword: 'format' | 'pattern'): Findings {
  const before = pair.old.keywords[keyword]
  const after = pair.now.keywords[keyword]
  if (before === after) return []
  const step = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  return changed(pair, `${keyword}-${step}`, keyword, [before, after])
}

function compareDefault(pair: EffectivePair): Findings {
  const { default: before } = pair.old.keywords
  const { default: after } = pair.now.keywords
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const rule = before === undefined ? 'default-added' : 'default-changed'
  return changed(pair, rule, 'default', [before, after])
}

/** Callers tell alternatives apart by it; one that comes only helps them. */
function compareDiscriminator(pair: EffectivePair): Findings {
  const before = readDiscriminator(pair.old)
  const after = readDiscriminator(pair.now)
  const targets = new Map(Object.entries(after.mapping))
  const moved = Object.keys(before.mapping).find(
    (key) => targets.has(key) && targets.get(key) !== before.mapping[key],
  )
  if (before.name !== undefined && before.name !== after.name) {
    return changed(pair, 'choices-changed', 'discriminator', [before.name, after.name])
  }
  if (moved === undefined) return []
  const step = [before.mapping[moved], targets.get(moved)] as const
  return changed(pair, 'choices-changed', `discriminator ${show(moved)}`, step)
}

/** In Swagger 2.0 it is the name alone. */
function readDiscriminator({ keywords }: EffectiveSchema): {
  readonly name: unknown
  readonly mapping: Readonly<Record<string, unknown>>
} {
  const { discriminator } = keywords
  if (!isRecord(discriminator)) return { name: discriminator, mapping: {} }
  return { name: discriminator['propertyName'], mapping: asRecord(discriminator['mapping']) }
}

const TEXTS: readonly string[] = ['title', 'description', 'example', 'examples']

function compareDocs(pair: EffectivePair): Findings {
  const old = pair.old.keywords
  const now = pair.now.keywords
  const isDeprecated = now['deprecated'] === true && old['deprecated'] !== true
  const differing = TEXTS.filter(
    (keyword) => JSON.stringify(old[keyword]) !== JSON.stringify(now[keyword]),
  )
  const words = `${differing.join(' and ')} changed`
  return [
    ...(isDeprecated ? at(pair, 'property-deprecated', 'it is deprecated') : []),
    ...(differing.length > 0 ? at(pair, 'schema-docs-changed', words) : []),
  ]
}

function compareKinds(pair: EffectivePair): Findings {
  const before = pair.old.types
  const after = pair.now.types
  if (pair.old.choices.length > 0 || pair.now.choices.length > 0) return []
  if (before === undefined && after === undefined) return []
  const list = (types: ReadonlySet<string> | undefined) => types && [...types].sort()
  const name = (types: ReadonlySet<string> | undefined) => list(types)?.join(' or ') ?? 'any'
  const removed =
    before === undefined || (after && list(before)?.some((type) => !allows(after, type)))
  const added =
    after === undefined || (before && list(after)?.some((type) => !allows(before, type)))
  if (!removed && !added) return []
  const rule = !added ? 'type-narrowed' : removed ? 'type-changed' : 'type-widened'
  return at(pair, rule, `the type went from ${name(before)} to ${name(after)}`)
}

/** Every integer is a number. */
function allows(types: ReadonlySet<string>, type: string): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

function compareNull(pair: EffectivePair): Findings {
  const { old, now } = pair
  const isTyped = ({ types, choices }: EffectiveSchema): boolean =>
    types !== undefined || choices.length > 0
  if (!isTyped(old) || !isTyped(now) || old.isNullable === now.isNullable) return []
  return now.isNullable
    ? at(pair, 'null-added', 'null is a value now')
    : at(pair, 'null-removed', 'null is not a value any more')
}

function compareListed(pair: EffectivePair): Findings {
  const [before, after] = [pair.old, pair.now].map(({ values }) =>
    values?.map((value) => JSON.stringify(value) ?? 'null'),
  )
  if (before === undefined && after === undefined) return []
  if (before === undefined)
    return at(pair, 'enum-value-removed', `only ${join(after)} are values now`)
  if (after === undefined) return at(pair, 'enum-value-added', 'any value is allowed now')
  const removed = before.filter((value) => !after.includes(value))
  const added = after.filter((value) => !before.includes(value))
  return [
    ...(removed.length > 0 ? at(pair, 'enum-value-removed', `${join(removed)} went`) : []),
    ...(added.length > 0 ? at(pair, 'enum-value-added', `${join(added)} came`) : []),
  ]
}

function join(values: readonly string[] = []): string {
  return `${values.slice(0, 8).join(', ')}${values.length > 8 ? ', …' : ''}`
}

function compareAdditional(pair: EffectivePair): Findings {
  const isOpen = pair.now.additional !== false
  if ((pair.old.additional !== false) === isOpen) return []
  return isOpen
    ? at(pair, 'extra-members-allowed', 'other members are allowed now')
    : at(pair, 'extra-members-refused', 'other members are refused now')
}
