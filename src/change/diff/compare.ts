import { isRecord, nearest } from '../../values/index.ts'
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
    ...pairs.removed.map((removed) => toRemoval(removed, { now, rename: renames.get(removed) })),
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

function compareFunctions(
  old: DescribedFunction,
  now: DescribedFunction,
  comparer: SchemaComparer,
): readonly Change[] {
  const label = toLabel(now)
  return [
    ...compareFacets(old.facets, now.facets, label),
    ...compareInputs(old, now, comparer),
    ...compareOutputs(old, now, comparer),
    ...compareSideEffects(old, now),
  ]
}

function compareInputs(
  old: DescribedFunction,
  now: DescribedFunction,
  comparer: SchemaComparer,
): readonly Change[] {
  const label = toLabel(now)
  const changes: Change[] = []
  for (const [name, input] of old.inputs) {
    const other = now.inputs.get(name)
    if (other === undefined && input.isVariant === true) continue
    if (other === undefined) {
      changes.push(
        toChange('input-property-removed', `the argument ${name} went`, label, {
          oldPointer: frame(input.pointer),
          newPointer: now.pointer,
        }),
      )
      continue
    }
    const at = { oldPointer: frame(input.pointer), newPointer: frame(other.pointer) }
    if (input.required !== other.required) {
      const rule = other.required ? 'input-property-required' : 'input-property-optional'
      const state = other.required ? 'required' : 'optional'
      changes.push(toChange(rule, `the argument ${name} became ${state}`, label, at))
    }
    if (other.deprecated && !input.deprecated) {
      changes.push(
        toChange('input-property-deprecated', `the argument ${name} is deprecated`, label, at),
      )
    }
    changes.push(
      ...compareFacets(input.facets, other.facets, label, `${name}: `),
      ...comparer
        .compare(input, other, 'input')
        .map((finding) =>
          fromFinding(finding, { direction: 'input', label, name, named: comparer.named }),
        ),
    )
  }
  for (const [name, input] of now.inputs) {
    if (old.inputs.has(name) || input.isVariant === true) continue
    const rule = input.required ? 'input-required-property-added' : 'input-property-added'
    const message = `the ${input.required ? 'required' : 'optional'} argument ${name} came`
    const at = { oldPointer: old.pointer, newPointer: frame(input.pointer) }
    changes.push(toChange(rule, message, label, at))
  }
  return changes
}

/** An argument is more than its schema; its place is the descriptor around it. */
function frame(pointer: string): string {
  return pointer.endsWith('/schema') ? pointer.slice(0, -'/schema'.length) : pointer
}

function compareOutputs(
  old: DescribedFunction,
  now: DescribedFunction,
  comparer: SchemaComparer,
): readonly Change[] {
  const label = toLabel(now)
  const changes: Change[] = []
  for (const [name, output] of old.outputs) {
    const other = now.outputs.get(name)
    if (other !== undefined) {
      const found = comparer.compare(output, other, 'output')
      changes.push(
        ...found.map((finding) =>
          fromFinding(finding, { direction: 'output', label, name, named: comparer.named }),
        ),
      )
    } else if (name === 'result') {
      const at = { oldPointer: output.pointer, newPointer: now.pointer }
      changes.push(toChange('result-removed', 'it answers nothing any more', label, at))
    }
  }
  const result = now.outputs.get('result')
  if (result !== undefined && !old.outputs.has('result')) {
    const at = { oldPointer: old.pointer, newPointer: result.pointer }
    changes.push(toChange('result-added', 'it says what it answers', label, at))
  }
  return changes
}

function compareSideEffects(old: DescribedFunction, now: DescribedFunction): readonly Change[] {
  const label = toLabel(now)
  const before = old.sideEffects
  const after = now.sideEffects
  if (before === undefined || after === undefined) return []
  const appeared = before.size === 0
  const at = { oldPointer: old.pointer, newPointer: now.pointer }
  return [
    ...[...after]
      .filter(([effect]) => !before.has(effect))
      .map(([effect, newPointer]) =>
        toChange(
          appeared ? 'side-effects-appeared' : 'side-effect-added',
          `it may now ${effect}`,
          label,
          { ...at, newPointer },
        ),
      ),
    ...[...before]
      .filter(([effect]) => !after.has(effect))
      .map(([effect, oldPointer]) =>
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
    } else if (!isEqual(facet.value, other.value)) {
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

function isEqual(left: unknown, right: unknown): boolean {
  return left === right || canonical(left) === canonical(right)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isRecord(item)
      ? Object.fromEntries(
          Object.entries(item)
            .filter(([, member]) => member !== undefined)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : item,
  )
}

interface Naming {
  readonly direction: Direction
  readonly label: string
  readonly name: string
  readonly named: WeakMap<object, Change>
}

function fromFinding(
  finding: ReturnType<SchemaComparer['compare']>[number],
  { direction, label, name, named }: Naming,
): Change {
  // A finding in a shared schema comes up for every function that uses it.
  const known = named.get(finding)
  if (known !== undefined) return { ...known, functions: [label] }
  const { rule, message, ...at } = finding
  const place = at.newPointer ?? at.oldPointer ?? ''
  const path = /(?:schema|schemas\/[^/]+|definitions\/[^/]+)(\/.*)?$/.exec(place)?.[1] ?? ''
  const where = direction === 'input' ? `argument ${name}` : name
  const text = `${where}${path && ` (${path})`}: ${message}`
  const change = toChange(`${direction}-${rule}`, text, label, at)
  named.set(finding, change)
  return change
}

interface Removal {
  readonly now: DescribedService
  readonly rename: string | undefined
}

function toRemoval(removed: DescribedFunction, { now, rename }: Removal): Change {
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
    const oldPointer = before.get(address)
    const newPointer = after.get(address)
    return toChange('reference-unread', `${address} was not read`, '', {
      ...(oldPointer !== undefined && { oldPointer }),
      ...(newPointer !== undefined && { newPointer }),
    })
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
  const merged = new Map<string, { readonly change: Change; readonly functions: Set<string> }>()
  for (const change of changes) {
    const { rule, oldPointer = '', newPointer = '', functions, message } = change
    const isShared = SHARED.test(newPointer || oldPointer)
    const own = isShared ? '' : `${functions[0] ?? ''} ${message}`
    const key = `${rule} ${oldPointer} ${newPointer} ${own}`
    const known = merged.get(key)
    if (known === undefined) merged.set(key, { change, functions: new Set(functions) })
    else for (const name of functions) known.functions.add(name)
  }
  return [...merged.values()].map(({ change, functions }) => ({
    ...change,
    functions: [...functions],
  }))
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
