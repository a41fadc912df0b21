import {
  followSchema,
  hasReference,
  nameOfChoice,
  readEffective,
  type SchemaAt,
  withoutChoices,
} from '../../schema/index.ts'
import { compareEffective, type EffectivePair, type SchemaFinding } from './compare-keywords.ts'
import type { Change } from './model.ts'
import type { Direction } from './rules.ts'

/** Compares schemas of two documents; what was compared once is remembered. */
export interface SchemaComparer {
  /** Changes made of findings, kept while the two documents are compared. */
  readonly named: WeakMap<object, Change>
  readonly compare: (old: SchemaAt, now: SchemaAt, direction: Direction) => readonly SchemaFinding[]
}

/** What a pair of places comes to: its own findings, and pairs of shared places it leads to. */
interface PairNode {
  readonly findings: SchemaFinding[]
  readonly leadsTo: Set<PairNode>
}

interface Context {
  readonly node: PairNode
  readonly depth: number
  readonly direction: Direction
}

/** Compares further schemas below a pair. */
type Next = (old: SchemaAt, now: SchemaAt) => void

const MAX_DEPTH = 100

/** Creates the comparer of two documents. */
export function createSchemaComparer(oldDocument: unknown, newDocument: unknown): SchemaComparer {
  const shared = new Map<string, PairNode>()

  const comparePair = (old: SchemaAt, now: SchemaAt, context: Context): void => {
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
    compareHere(from, to, { ...context, node })
  }

  const compareHere = (from: SchemaAt, to: SchemaAt, context: Context): void => {
    const { node, depth } = context
    if (depth > MAX_DEPTH || isSame(from.schema, to.schema, depth)) return
    const pair = { old: readEffective(from, oldDocument), now: readEffective(to, newDocument) }
    const inner = { ...context, depth: depth + 1 }
    const next: Next = (old, now) => comparePair(old, now, inner)
    node.findings.push(...compareEffective(pair))
    if (pair.old.choices.length > 0 || pair.now.choices.length > 0) {
      node.findings.push(...compareChoices(pair, from, to, next))
    }
    compareMembers(pair, next)
    node.findings.push(...compareProperties(pair))
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

/** Alternatives that are the same are found by what they are; the others are compared in their order. */
function compareChoices(
  { old, now }: EffectivePair,
  from: SchemaAt,
  to: SchemaAt,
  next: Next,
): readonly SchemaFinding[] {
  const oldChoices = old.choices.length > 0 ? old.choices : [withoutChoices(from)]
  const rest = now.choices.length > 0 ? [...now.choices] : [withoutChoices(to)]
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

function compareMembers({ old, now }: EffectivePair, next: Next): void {
  for (const [name, property] of old.properties) {
    const other = now.properties.get(name)
    if (other !== undefined) next(property, other)
  }
  if (old.items !== undefined && now.items !== undefined) next(old.items, now.items)
  if (typeof old.additional === 'object' && typeof now.additional === 'object') {
    next(old.additional, now.additional)
  }
}

function compareProperties({ old, now }: EffectivePair): readonly SchemaFinding[] {
  const findings: SchemaFinding[] = []
  for (const [name, property] of old.properties) {
    const other = now.properties.get(name)
    const at = { oldPointer: property.pointer, newPointer: other?.pointer ?? now.pointer }
    const isNeeded = now.required.has(name)
    if (other === undefined) {
      findings.push({ rule: 'property-removed', message: `the member ${name} went`, ...at })
    } else if (old.required.has(name) !== isNeeded) {
      const state = isNeeded ? 'required' : 'optional'
      const message = `the member ${name} became ${state}`
      findings.push({ rule: `property-${state}`, message, ...at })
    }
  }
  for (const [name, { pointer: newPointer }] of now.properties) {
    if (old.properties.has(name)) continue
    const isNeeded = now.required.has(name)
    const rule = isNeeded ? 'required-property-added' : 'property-added'
    const message = `the ${isNeeded ? 'required' : 'optional'} member ${name} came`
    findings.push({ rule, message, oldPointer: old.pointer, newPointer })
  }
  return findings
}

/** Most schemas of two versions are the same text; saying so early is what makes large documents cheap. */
function isSame(left: unknown, right: unknown, depth: number): boolean {
  if (depth > 0 || hasReference(left)) return false
  return JSON.stringify(left) === JSON.stringify(right)
}
