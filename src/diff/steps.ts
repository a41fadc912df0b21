import { isVersion } from '../core/version.ts'
import type { Change, ChangeClass, Step, VersionStep } from './change.ts'
import type { DescribedFunction, DescribedService } from './model.ts'

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
    ...(name !== undefined && { function: name }),
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
