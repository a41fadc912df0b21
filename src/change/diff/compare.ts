import type { SchemaAt } from '../../schema/index.ts'
import { defined, groupBy, isRecord, nearest, toCanonicalJson } from '../../values/index.ts'
import { createSchemaComparer, type SchemaComparer } from './compare-schemas.ts'
import {
  type Change,
  type ChangeClass,
  CLASSES,
  type DescribedFunction,
  type DescribedService,
  type DiffReport,
  type Facets,
  findUnreadReferences,
} from './model.ts'
import { buildSteps, pairFunctions } from './pair-functions.ts'
import { DIFF_RULES, type Direction, type RuleId } from './rules.ts'

/** Compares two descriptions of the same kind; every difference is listed once, worst first. */
export function compareServices(old: DescribedService, now: DescribedService): DiffReport {
  const comparer = createSchemaComparer(old.document, now.document)
  const pairs = pairFunctions(old.functions, now.functions)
  const renames = guessRenames(pairs.removed, pairs.added)
  const perFunction = pairs.matched.map((pair) => ({
    ...pair,
    changes: compareFunctions(pair.old, pair.now, comparer),
  }))
  const changes = merge([
    ...compareFacets(old.facets, now.facets, ''),
    ...listUnread(old, now),
    ...pairs.removed.map((removed) => toRemoval(removed, now, renames.get(removed))),
    ...pairs.added.map((added) => toAddition(added, old)),
    ...perFunction.flatMap((pair) => pair.changes),
  ])
  return {
    kind: old.kind,
    changes: changes.sort(compareChanges),
    steps: buildSteps({ old, now, matched: perFunction, changes }),
    counts: countClasses(changes),
  }
}

/** Two versions of one function. */
interface Versions {
  readonly old: DescribedFunction
  readonly now: DescribedFunction
  readonly label: string
  readonly comparer: SchemaComparer
}

function compareFunctions(
  old: DescribedFunction,
  now: DescribedFunction,
  comparer: SchemaComparer,
): readonly Change[] {
  const versions = { old, now, label: toLabel(now), comparer }
  return [
    ...compareFacets(old.facets, now.facets, versions.label),
    ...compareInputs(versions),
    ...compareOutputs(versions),
    ...compareSideEffects(versions),
  ]
}

function compareInputs(versions: Versions): readonly Change[] {
  const { old, now, label } = versions
  const changes: Change[] = []
  const push = (rule: RuleId, message: string, at: Places): void =>
    void changes.push(toChange(rule, message, label, at))
  for (const [name, input] of old.inputs) {
    const other = now.inputs.get(name)
    const at = {
      oldPointer: frame(input.pointer),
      newPointer: other === undefined ? now.pointer : frame(other.pointer),
    }
    if (other === undefined) {
      if (!input.isVariant) push('input-property-removed', `the argument ${name} went`, at)
      continue
    }
    if (input.required !== other.required) {
      const state = other.required ? 'required' : 'optional'
      push(`input-property-${state}`, `the argument ${name} became ${state}`, at)
    }
    if (other.deprecated && !input.deprecated) {
      push('input-property-deprecated', `the argument ${name} is deprecated`, at)
    }
    changes.push(
      ...compareFacets(input.facets, other.facets, label, `${name}: `),
      ...compareSchemas(versions, [input, other], 'input', name),
    )
  }
  for (const [name, input] of now.inputs) {
    if (old.inputs.has(name) || input.isVariant === true) continue
    const rule = input.required ? 'input-required-property-added' : 'input-property-added'
    const message = `the ${input.required ? 'required' : 'optional'} argument ${name} came`
    push(rule, message, { oldPointer: old.pointer, newPointer: frame(input.pointer) })
  }
  return changes
}

/** An argument is more than its schema; its place is the descriptor around it. */
function frame(pointer: string): string {
  return pointer.endsWith('/schema') ? pointer.slice(0, -'/schema'.length) : pointer
}

function compareOutputs(versions: Versions): readonly Change[] {
  const { old, now, label } = versions
  const [before, after] = [old.outputs.get('result'), now.outputs.get('result')]
  const oldPointer = before?.pointer ?? old.pointer
  const at = { oldPointer, newPointer: after?.pointer ?? now.pointer }
  const gone = () => toChange('result-removed', 'it answers nothing any more', label, at)
  return [
    ...[...old.outputs].flatMap(([name, output]) => {
      const other = now.outputs.get(name)
      if (other === undefined) return name === 'result' ? [gone()] : []
      return compareSchemas(versions, [output, other], 'output', name)
    }),
    ...(after !== undefined && before === undefined
      ? [toChange('result-added', 'it says what it answers', label, at)]
      : []),
  ]
}

function compareSideEffects({ old, now, label }: Versions): readonly Change[] {
  const { sideEffects: before } = old
  const { sideEffects: after } = now
  if (before === undefined || after === undefined) return []
  const rule = before.size === 0 ? 'side-effects-appeared' : 'side-effect-added'
  const at = { oldPointer: old.pointer, newPointer: now.pointer }
  const came = [...after].filter(([effect]) => !before.has(effect))
  const went = [...before].filter(([effect]) => !after.has(effect))
  return [
    ...came.map(([effect, newPointer]) =>
      toChange(rule, `it may now ${effect}`, label, { ...at, newPointer }),
    ),
    ...went.map(([effect, oldPointer]) =>
      toChange('side-effect-removed', `${effect} went`, label, { ...at, oldPointer }),
    ),
  ]
}

function compareFacets(old: Facets, now: Facets, label: string, prefix = ''): readonly Change[] {
  const changes: Change[] = []
  const push = (rule: RuleId | undefined, message: string, at: Places): void => {
    if (rule !== undefined) changes.push(toChange(rule, `${prefix}${message}`, label, at))
  }
  for (const [id, facet] of old) {
    const other = now.get(id)
    if (other === undefined) {
      push(facet.rules.removed, `${facet.label} went`, { oldPointer: facet.pointer })
    } else if (toCanonicalJson(facet.value) !== toCanonicalJson(other.value)) {
      const at = { oldPointer: facet.pointer, newPointer: other.pointer }
      const message = `${facet.label} changed${describeValues(facet.value, other.value)}`
      const isLower = toNumber(other.value) < toNumber(facet.value)
      push(facet.rules.changed ?? (isLower ? facet.rules.lowered : facet.rules.raised), message, at)
    }
  }
  for (const [id, facet] of now) {
    if (!old.has(id)) push(facet.rules.added, `${facet.label} came`, { newPointer: facet.pointer })
  }
  return changes
}

/** A value that is not a number is neither lower nor higher. */
function toNumber(value: unknown): number {
  return typeof value === 'object' ? Number.NaN : Number(value)
}

interface Places {
  readonly oldPointer?: string
  readonly newPointer?: string
}

function describeValues(before: unknown, after: unknown): string {
  const isPlain = (value: unknown): boolean => !isRecord(value) && !Array.isArray(value)
  if (!isPlain(before) || !isPlain(after)) return ''
  const show = (value: unknown): string => JSON.stringify(value).slice(0, 80)
  return ` from ${show(before)} to ${show(after)}`
}

function compareSchemas(
  { label, comparer }: Versions,
  [old, now]: readonly [SchemaAt, SchemaAt],
  direction: Direction,
  name: string,
): readonly Change[] {
  return comparer.compare(old, now, direction).map((finding) => {
    // A finding in a shared schema comes up for every function that uses it.
    const known = comparer.named.get(finding)
    if (known !== undefined) return { ...known, functions: [label] }
    const { rule, message, ...at } = finding
    const place = at.newPointer ?? at.oldPointer ?? ''
    const path = /(?:schema|schemas\/[^/]+|definitions\/[^/]+)(\/.*)?$/.exec(place)?.[1] ?? ''
    const where = direction === 'input' ? `argument ${name}` : name
    const text = `${where}${path && ` (${path})`}: ${message}`
    const change = toChange(`${direction}-${rule}`, text, label, at)
    comparer.named.set(finding, change)
    return change
  })
}

function toRemoval(removed: DescribedFunction, now: DescribedService, rename?: string): Change {
  const label = toLabel(removed)
  const isLeft = now.functions.some(({ name }) => name === removed.name)
  const hint = rename === undefined || isLeft ? '' : `; did it become ${rename}?`
  const rule = isLeft ? 'version-removed' : 'function-removed'
  return toChange(rule, `${label} went${hint}`, label, { oldPointer: removed.pointer })
}

function toAddition(added: DescribedFunction, old: DescribedService): Change {
  const isKnown = old.functions.some(({ name }) => name === added.name)
  const label = toLabel(added)
  const rule = isKnown ? 'version-added' : 'function-added'
  return toChange(rule, `${label} came`, label, { newPointer: added.pointer })
}

/** Said once per document, whether or not anything else differs: the part behind it was not looked at. */
function listUnread(old: DescribedService, now: DescribedService): readonly Change[] {
  const before = findUnreadReferences(old.document)
  const after = findUnreadReferences(now.document)
  return [...new Set([...before.keys(), ...after.keys()])].map((address) => {
    const at = defined({ oldPointer: before.get(address), newPointer: after.get(address) })
    return toChange('reference-unread', `${address} was not read`, '', at)
  })
}

function guessRenames(
  removed: readonly DescribedFunction[],
  added: readonly DescribedFunction[],
): ReadonlyMap<DescribedFunction, string> {
  const names = [...new Set(added.map(({ name }) => name))]
  const guesses = new Map<DescribedFunction, string>()
  for (const entry of removed.slice(0, 200)) {
    const [match] = nearest(entry.name, names)
    const inputs = JSON.stringify([...entry.inputs.keys()])
    const twin = added.find(
      (other) => entry.inputs.size > 0 && JSON.stringify([...other.inputs.keys()]) === inputs,
    )
    const guess = match ?? twin?.name
    if (guess !== undefined && guess !== entry.name) guesses.set(entry, guess)
  }
  return guesses
}

function toChange(rule: RuleId, message: string, label: string, at: Places): Change {
  const { class: own, reason } = DIFF_RULES[rule]
  return { rule, class: own, message, reason, functions: label === '' ? [] : [label], ...at }
}

const SHARED =
  /^\/(?:components|definitions|externals|parameters|responses|securityDefinitions|security)(?:\/|$)/

/** One change of a shared schema is one change, however many functions use it. */
function merge(changes: readonly Change[]): Change[] {
  const groups = groupBy(changes, ({ rule, oldPointer = '', newPointer = '', ...change }) => {
    const isShared = SHARED.test(newPointer || oldPointer)
    const own = isShared ? '' : `${change.functions[0] ?? ''} ${change.message}`
    return `${rule} ${oldPointer} ${newPointer} ${own}`
  })
  return [...groups.values()].flatMap((same) => {
    const functions = [...new Set(same.flatMap((change) => change.functions))]
    return same.slice(0, 1).map((change) => ({ ...change, functions }))
  })
}

function compareChanges(left: Change, right: Change): number {
  const order = (change: Change): string =>
    [change.functions[0] ?? '', change.oldPointer ?? change.newPointer ?? '', change.rule].join(
      '\u0000',
    )
  return (
    CLASSES.indexOf(left.class) - CLASSES.indexOf(right.class) ||
    (order(left) < order(right) ? -1 : order(left) > order(right) ? 1 : 0)
  )
}

function countClasses(changes: readonly Change[]): Record<ChangeClass, number> {
  const counts = { breaking: 0, implementer: 0, compatible: 0, docs: 0 }
  for (const change of changes) counts[change.class] += 1
  return counts
}

function toLabel({ name, version }: DescribedFunction): string {
  return version === undefined ? name : `${name} ${version}`
}
