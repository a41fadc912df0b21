import type { EffectivePair, SchemaFinding } from './compare-schemas.ts'
import type { EffectiveSchema } from './effective-schema.ts'
import type { SchemaRuleName } from './rules.ts'

/** Compares what kinds of value two schemas allow: types, null, listed values, other members. */
export function compareTypes(pair: EffectivePair): readonly SchemaFinding[] {
  return [
    ...compareKinds(pair),
    ...compareNull(pair),
    ...compareValues(pair),
    ...compareAdditional(pair),
  ]
}

function compareKinds(pair: EffectivePair): readonly SchemaFinding[] {
  const before = pair.old.types
  const after = pair.now.types
  if (pair.old.choices.length > 0 || pair.now.choices.length > 0) return []
  if (before === undefined && after === undefined) return []
  if (before === undefined) return [typeFinding(pair, 'type-narrowed')]
  if (after === undefined) return [typeFinding(pair, 'type-widened')]
  const kept = [...before].every((type) => allows(after, type))
  const added = [...after].some((type) => !allows(before, type))
  const removed = !kept
  if (removed && added) return [typeFinding(pair, 'type-changed')]
  if (removed) return [typeFinding(pair, 'type-narrowed')]
  return added ? [typeFinding(pair, 'type-widened')] : []
}

/** Every integer is a number. */
function allows(types: ReadonlySet<string>, type: string): boolean {
  return types.has(type) || (type === 'integer' && types.has('number'))
}

function typeFinding(pair: EffectivePair, rule: SchemaRuleName): SchemaFinding {
  const show = (types: ReadonlySet<string> | undefined): string =>
    types === undefined ? 'any' : [...types].sort().join(' or ')
  return at(pair, rule, `the type went from ${show(pair.old.types)} to ${show(pair.now.types)}`)
}

function compareNull(pair: EffectivePair): readonly SchemaFinding[] {
  const isTyped = ({ types, choices }: EffectiveSchema): boolean =>
    types !== undefined || choices.length > 0
  if (!isTyped(pair.old) || !isTyped(pair.now)) return []
  if (pair.old.isNullable === pair.now.isNullable) return []
  return pair.now.isNullable
    ? [at(pair, 'null-added', 'null is a value now')]
    : [at(pair, 'null-removed', 'null is no value any more')]
}

function compareValues(pair: EffectivePair): readonly SchemaFinding[] {
  const before = toTexts(pair.old.values)
  const after = toTexts(pair.now.values)
  if (before === undefined && after === undefined) return []
  if (before === undefined) {
    return [at(pair, 'enum-value-removed', `only ${join(after)} are values now`)]
  }
  if (after === undefined) return [at(pair, 'enum-value-added', 'any value is allowed now')]
  const removed = before.filter((value) => !after.includes(value))
  const added = after.filter((value) => !before.includes(value))
  return [
    ...(removed.length > 0 ? [at(pair, 'enum-value-removed', `${join(removed)} went`)] : []),
    ...(added.length > 0 ? [at(pair, 'enum-value-added', `${join(added)} came`)] : []),
  ]
}

function toTexts(values: readonly unknown[] | undefined): readonly string[] | undefined {
  return values?.map((value) => JSON.stringify(value) ?? 'null')
}

function join(values: readonly string[] | undefined): string {
  const shown = (values ?? []).slice(0, 8).join(', ')
  return (values?.length ?? 0) > 8 ? `${shown}, …` : shown
}

function compareAdditional(pair: EffectivePair): readonly SchemaFinding[] {
  const before = pair.old.additional !== false
  const after = pair.now.additional !== false
  if (before === after) return []
  return after
    ? [at(pair, 'extra-members-allowed', 'other members are allowed now')]
    : [at(pair, 'extra-members-refused', 'other members are refused now')]
}

function at({ old, now }: EffectivePair, rule: SchemaRuleName, message: string): SchemaFinding {
  return { rule, message, oldPointer: old.pointer, newPointer: now.pointer }
}
