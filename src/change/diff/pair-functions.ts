import { compareVersions, isVersion } from '../../core/index.ts'
import { defined, groupBy } from '../../values/index.ts'
import type {
  Change,
  ChangeClass,
  DescribedFunction,
  DescribedService,
  Step,
  VersionStep,
} from './model.ts'

/** Functions of two descriptions, told apart. */
export interface FunctionPairs {
  readonly matched: readonly { readonly old: DescribedFunction; readonly now: DescribedFunction }[]
  readonly removed: readonly DescribedFunction[]
  readonly added: readonly DescribedFunction[]
}

/** Finds out which function became which: the same name and version, else the version that took its place. */
export function pairFunctions(
  old: readonly DescribedFunction[],
  now: readonly DescribedFunction[],
): FunctionPairs {
  const byKey = new Map(now.map((entry) => [keyOf(entry), entry]))
  const byName = groupBy(now, ({ name }) => name)
  const taken = new Set<DescribedFunction>()
  const matched: { old: DescribedFunction; now: DescribedFunction }[] = []
  const removed: DescribedFunction[] = []
  for (const entry of old) {
    const same = byKey.get(keyOf(entry))
    if (same === undefined) removed.push(entry)
    else {
      matched.push({ old: entry, now: same })
      taken.add(same)
    }
  }
  // What took the place of a version that is gone is compared too: whoever moves on wants to know.
  for (const entry of removed) {
    const next = findSuccessor(entry, byName.get(entry.name) ?? [], taken)
    if (next === undefined) continue
    taken.add(next)
    matched.push({ old: entry, now: next })
  }
  const known = new Set(old.map(keyOf))
  return { matched, removed, added: now.filter((entry) => !known.has(keyOf(entry))) }
}

function keyOf({ name, version }: DescribedFunction): string {
  return `${name}\u0000${version ?? ''}`
}

function findSuccessor(
  { version = '' }: DescribedFunction,
  candidates: readonly DescribedFunction[],
  taken: ReadonlySet<DescribedFunction>,
): DescribedFunction | undefined {
  const order = (left: DescribedFunction, right: DescribedFunction): number =>
    compareText(left.version ?? '', right.version ?? '')
  return candidates
    .filter((entry) => !taken.has(entry) && compareText(entry.version ?? '', version) > 0)
    .sort(order)[0]
}

function compareText(left: string, right: string): number {
  if (isVersion(left) && isVersion(right)) return compareVersions(left, right)
  return left < right ? -1 : left > right ? 1 : 0
}

const NEEDS: Readonly<Record<ChangeClass, Step>> = {
  breaking: 'major',
  implementer: 'minor',
  compatible: 'minor',
  docs: 'patch',
}

const ORDER: readonly Step[] = ['none', 'patch', 'minor', 'major']

interface StepInput {
  readonly old: DescribedService
  readonly now: DescribedService
  readonly matched: readonly {
    readonly old: DescribedFunction
    readonly now: DescribedFunction
    readonly changes: readonly Change[]
  }[]
  readonly changes: readonly Change[]
}

/** Says which step each function's version needs, or the document's where functions have none. */
export function buildSteps({ old, now, matched, changes }: StepInput): readonly VersionStep[] {
  const ofFunctions = matched.flatMap((pair) => {
    if (pair.old.version === undefined || pair.changes.length === 0) return []
    return [toStep(pair.changes, pair.old.version, pair.now.version, pair.now.name)]
  })
  const known = changes.filter(({ rule }) => rule !== 'reference-unread')
  const hasVersions = old.functions.some(({ version }) => version !== undefined)
  const ofDocument =
    hasVersions || known.length === 0 ? [] : [toStep(known, old.version, now.version)]
  return [...ofDocument, ...ofFunctions.sort(compareSteps)]
}

function toStep(
  changes: readonly Change[],
  from: string | undefined,
  to: string | undefined,
  name?: string,
): VersionStep {
  const needs = changes.reduce<Step>((step, change) => larger(step, NEEDS[change.class]), 'none')
  const declared = readStep(from, to)
  return {
    ...defined({ function: name }),
    from,
    to,
    needs,
    declared,
    // Before 1.0.0 anything may change in a minor step.
    enough:
      ORDER.indexOf(declared) >=
      ORDER.indexOf(isEarly(from) && needs === 'major' ? 'minor' : needs),
  }
}

function readStep(from: string | undefined, to: string | undefined): Step {
  if (from === undefined || to === undefined || from === to) return 'none'
  const before = toNumbers(from)
  const after = toNumbers(to)
  // A version of another kind, such as a date, that differs is a new one; nothing more can be said.
  if (before === undefined || after === undefined) return 'major'
  if (after[0] !== before[0]) return 'major'
  return after[1] !== before[1] ? 'minor' : 'patch'
}

function toNumbers(version: string): readonly number[] | undefined {
  const plain = version.replace(/^v/, '')
  if (!isVersion(plain) && !/^\d+(?:\.\d+){0,2}$/.test(plain)) return undefined
  const [major = 0, minor = 0, patch = 0] = plain.split(/[.+-]/).map(Number)
  return [major, minor, patch]
}

function isEarly(version: string | undefined): boolean {
  return version?.replace(/^v/, '').startsWith('0.') === true
}

function larger(left: Step, right: Step): Step {
  return ORDER.indexOf(left) >= ORDER.indexOf(right) ? left : right
}

function compareSteps(left: VersionStep, right: VersionStep): number {
  return (
    Number(left.enough) - Number(right.enough) ||
    ORDER.indexOf(right.needs) - ORDER.indexOf(left.needs) ||
    ((left.function ?? '') < (right.function ?? '') ? -1 : 1)
  )
}
