import type { EffectiveSchema } from '../../schema/index.ts'
import { asRecord, isRecord } from '../../values/index.ts'
import type { EffectivePair, SchemaFinding } from './compare-schemas.ts'
import type { SchemaRuleName } from './rules.ts'

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

const TEXTS: readonly string[] = ['title', 'description', 'example', 'examples']

/** Compares everything about two schemas but their types and members. */
export function compareKeywords(pair: EffectivePair): readonly SchemaFinding[] {
  return [
    ...Object.keys(LIMITS).flatMap((keyword) => compareLimit(pair, keyword)),
    ...compareFlag(pair, 'uniqueItems'),
    ...compareMultiple(pair),
    ...compareText(pair, 'format'),
    ...compareText(pair, 'pattern'),
    ...compareDefault(pair),
    ...compareDiscriminator(pair),
    ...compareDocs(pair),
  ]
}

function compareLimit(pair: EffectivePair, keyword: string): readonly SchemaFinding[] {
  const before = readLimit(pair.old, keyword)
  const after = readLimit(pair.now, keyword)
  if (before === after) return []
  const isLower = LIMITS[keyword] === 'lower'
  const isTighter =
    before === undefined || (after !== undefined && (isLower ? after > before : after < before))
  return [finding(pair, isTighter ? 'limit-tightened' : 'limit-loosened', keyword, [before, after])]
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

function compareFlag(pair: EffectivePair, keyword: string): readonly SchemaFinding[] {
  const before = pair.old.keywords[keyword] === true
  const after = pair.now.keywords[keyword] === true
  if (before === after) return []
  return [finding(pair, after ? 'limit-tightened' : 'limit-loosened', keyword, [before, after])]
}

function compareMultiple(pair: EffectivePair): readonly SchemaFinding[] {
  const before = pair.old.keywords['multipleOf']
  const after = pair.now.keywords['multipleOf']
  if (before === after) return []
  const isLooser =
    after === undefined ||
    (typeof before === 'number' && typeof after === 'number' && before % after === 0)
  return [
    finding(pair, isLooser ? 'limit-loosened' : 'limit-tightened', 'multipleOf', [before, after]),
  ]
}

function compareText(pair: EffectivePair, keyword: 'format' | 'pattern'): readonly SchemaFinding[] {
  const before = pair.old.keywords[keyword]
  const after = pair.now.keywords[keyword]
  if (before === after) return []
  if (before === undefined) return [finding(pair, `${keyword}-added`, keyword, [before, after])]
  if (after === undefined) return [finding(pair, `${keyword}-removed`, keyword, [before, after])]
  return [finding(pair, `${keyword}-changed`, keyword, [before, after])]
}

function compareDefault(pair: EffectivePair): readonly SchemaFinding[] {
  const before = JSON.stringify(pair.old.keywords['default'])
  const after = JSON.stringify(pair.now.keywords['default'])
  if (before === after) return []
  const rule = before === undefined ? 'default-added' : 'default-changed'
  return [
    finding(pair, rule, 'default', [pair.old.keywords['default'], pair.now.keywords['default']]),
  ]
}

/** Callers tell alternatives apart by it; one that comes only helps them. */
function compareDiscriminator(pair: EffectivePair): readonly SchemaFinding[] {
  const before = readDiscriminator(pair.old)
  const after = readDiscriminator(pair.now)
  const targets = new Map(Object.entries(after.mapping))
  const moved = Object.keys(before.mapping).find(
    (key) => targets.has(key) && targets.get(key) !== before.mapping[key],
  )
  if (before.name !== undefined && before.name !== after.name) {
    return [finding(pair, 'choices-changed', 'discriminator', [before.name, after.name])]
  }
  if (moved === undefined) return []
  const step = [before.mapping[moved], targets.get(moved)] as const
  return [finding(pair, 'choices-changed', `discriminator ${show(moved)}`, step)]
}

/** In Swagger 2.0 it is the name alone. */
function readDiscriminator({ keywords }: EffectiveSchema): {
  readonly name: unknown
  readonly mapping: Readonly<Record<string, unknown>>
} {
  const { discriminator } = keywords
  if (!isRecord(discriminator)) return { name: discriminator, mapping: {} }
  const { propertyName, mapping } = discriminator
  return { name: propertyName, mapping: asRecord(mapping) }
}

function compareDocs(pair: EffectivePair): readonly SchemaFinding[] {
  const { old, now } = pair
  const isDeprecated = now.keywords['deprecated'] === true && old.keywords['deprecated'] !== true
  const differing = TEXTS.filter(
    (keyword) => JSON.stringify(old.keywords[keyword]) !== JSON.stringify(now.keywords[keyword]),
  )
  const at = { oldPointer: old.pointer, newPointer: now.pointer }
  return [
    ...(isDeprecated
      ? [{ rule: 'property-deprecated' as const, message: 'it is deprecated', ...at }]
      : []),
    ...(differing.length > 0
      ? [
          {
            rule: 'schema-docs-changed' as const,
            message: `${differing.join(' and ')} changed`,
            ...at,
          },
        ]
      : []),
  ]
}

function finding(
  { old, now }: EffectivePair,
  rule: SchemaRuleName,
  keyword: string,
  [before, after]: readonly [unknown, unknown],
): SchemaFinding {
  return {
    rule,
    message: `${keyword} ${describeStep(before, after)}`,
    oldPointer: old.pointer,
    newPointer: now.pointer,
  }
}

function describeStep(before: unknown, after: unknown): string {
  if (before === undefined) return `${show(after)} came`
  return after === undefined
    ? `${show(before)} went`
    : `went from ${show(before)} to ${show(after)}`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
