import {
  type EffectiveSchema,
  followSchema,
  hasReference,
  nameOfChoice,
  readEffective,
  type SchemaAt,
  withoutChoices,
} from '../../schema/index.ts'
import { compareKeywords } from './compare-keywords.ts'
import type { Change } from './model.ts'
import type { Direction, SchemaRuleName } from './rules.ts'

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
    : [at(pair, 'null-removed', 'null is not a value any more')]
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

/** What the comparison of two schemas found, before it has a class. */
export interface SchemaFinding {
  readonly rule: SchemaRuleName
  readonly message: string
  readonly oldPointer?: string
  readonly newPointer?: string
}

/** Compares schemas of two documents; what was compared once is remembered. */
export interface SchemaComparer {
  /** Changes made of findings, kept while the two documents are compared. */
  readonly named: WeakMap<object, Change>
  readonly compare: (old: SchemaAt, now: SchemaAt, direction: Direction) => readonly SchemaFinding[]
}

/** The two schemas of a comparison, read. */
export interface EffectivePair {
  readonly old: EffectiveSchema
  readonly now: EffectiveSchema
}

/** What a pair of places comes to: its own findings, and pairs of shared places it leads to. */
interface PairNode {
  readonly findings: SchemaFinding[]
  readonly leadsTo: Set<PairNode>
}

const MAX_DEPTH = 100

/** Creates the comparer of two documents. */
export function createSchemaComparer(oldDocument: unknown, newDocument: unknown): SchemaComparer {
  const shared = new Map<string, PairNode>()

  const comparePair = (
    old: SchemaAt,
    now: SchemaAt,
    context: { readonly node: PairNode; readonly depth: number; readonly direction: Direction },
  ): void => {
    if (old.schema === now.schema && old.schema === undefined) return
    const from = followSchema(old, oldDocument)
    const to = followSchema(now, newDocument)
    if (!from.isShared && !to.isShared) {
      compareHere(from, to, context)
      return
    }
    // A schema may refer to itself; a pair of places is compared once and then only pointed at.
    const key = `${context.direction} ${from.pointer} ${to.pointer}`
    const known = shared.get(key)
    const node = known ?? { findings: [], leadsTo: new Set() }
    context.node.leadsTo.add(node)
    if (known !== undefined) return
    shared.set(key, node)
    compareHere(from, to, { node, depth: context.depth, direction: context.direction })
  }

  const compareHere = (
    from: SchemaAt,
    to: SchemaAt,
    context: { readonly node: PairNode; readonly depth: number; readonly direction: Direction },
  ): void => {
    const { node, depth, direction } = context
    if (depth > MAX_DEPTH || isSame(from.schema, to.schema, context.depth)) return
    const pair = {
      old: readEffective(from, oldDocument),
      now: readEffective(to, newDocument),
    }
    const inner = { node, direction, depth: depth + 1 }
    const next = (old: SchemaAt, now: SchemaAt): void => comparePair(old, now, inner)
    node.findings.push(...compareKeywords(pair))
    if (pair.old.choices.length > 0 || pair.now.choices.length > 0) {
      node.findings.push(...compareChoices(pair, from, to, next))
    }
    node.findings.push(...compareTypes(pair))
    compareMembers(pair, node, next)
  }

  /** Alternatives that are the same are found by what they are; the others are compared in their order. */
  const compareChoices = (
    { old, now }: EffectivePair,
    from: SchemaAt,
    to: SchemaAt,
    next: (old: SchemaAt, now: SchemaAt) => void,
  ): readonly SchemaFinding[] => {
    const oldChoices = old.choices.length > 0 ? old.choices : [withoutChoices(from)]
    const newChoices = now.choices.length > 0 ? now.choices : [withoutChoices(to)]
    const rest = [...newChoices]
    const left = oldChoices.filter((choice) => {
      const index = rest.findIndex((other) => nameOfChoice(choice) === nameOfChoice(other))
      if (index === -1) return true
      const [match] = rest.splice(index, 1)
      if (match !== undefined) next(choice, match)
      return false
    })
    if (left.length > 0 && left.length === rest.length) {
      for (const [index, choice] of left.entries()) next(choice, rest[index] ?? choice)
      return []
    }
    return [
      ...left.map((choice) => ({
        rule: 'choice-removed' as const,
        message: `the alternative ${nameOfChoice(choice)} went`,
        oldPointer: choice.pointer,
        newPointer: now.pointer,
      })),
      ...rest.map((choice) => ({
        rule: 'choice-added' as const,
        message: `the alternative ${nameOfChoice(choice)} came`,
        oldPointer: old.pointer,
        newPointer: choice.pointer,
      })),
    ]
  }

  return {
    named: new WeakMap(),
    compare: (old, now, direction) => {
      const root: PairNode = { findings: [], leadsTo: new Set() }
      comparePair(old, now, { node: root, depth: 0, direction })
      const nodes = new Set([root])
      for (const node of nodes) for (const child of node.leadsTo) nodes.add(child)
      return [...nodes].flatMap(({ findings }) => findings)
    },
  }
}

function compareMembers(
  { old, now }: EffectivePair,
  node: PairNode,
  next: (old: SchemaAt, now: SchemaAt) => void,
): void {
  for (const [name, property] of old.properties) {
    const other = now.properties.get(name)
    if (other === undefined) continue
    next(property, other)
  }
  node.findings.push(...compareProperties({ old, now }))
  if (old.items !== undefined && now.items !== undefined) next(old.items, now.items)
  if (typeof old.additional === 'object' && typeof now.additional === 'object') {
    next(old.additional, now.additional)
  }
}

function compareProperties({ old, now }: EffectivePair): readonly SchemaFinding[] {
  const findings: SchemaFinding[] = []
  for (const [name, property] of old.properties) {
    const at = {
      oldPointer: property.pointer,
      newPointer: now.properties.get(name)?.pointer ?? now.pointer,
    }
    if (!now.properties.has(name)) {
      findings.push({ rule: 'property-removed', message: `the member ${name} went`, ...at })
    } else if (old.required.has(name) !== now.required.has(name)) {
      const isNeeded = now.required.has(name)
      findings.push({
        rule: isNeeded ? 'property-required' : 'property-optional',
        message: `the member ${name} became ${isNeeded ? 'required' : 'optional'}`,
        ...at,
      })
    }
  }
  for (const [name, property] of now.properties) {
    if (old.properties.has(name)) continue
    const isNeeded = now.required.has(name)
    findings.push({
      rule: isNeeded ? 'required-property-added' : 'property-added',
      message: `the ${isNeeded ? 'required' : 'optional'} member ${name} came`,
      oldPointer: old.pointer,
      newPointer: property.pointer,
    })
  }
  return findings
}

/** Most schemas of two versions are the same text; saying so early is what makes large documents cheap. */
function isSame(left: unknown, right: unknown, depth: number): boolean {
  if (depth > 0 || hasReference(left)) return false
  return JSON.stringify(left) === JSON.stringify(right)
}
