import { compareVersions, isVersion } from '../core/version.ts'
import type { DescribedFunction } from './model.ts'

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
  const byName = groupByName(now)
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

function groupByName(
  functions: readonly DescribedFunction[],
): ReadonlyMap<string, readonly DescribedFunction[]> {
  const groups = new Map<string, DescribedFunction[]>()
  for (const entry of functions) {
    const group = groups.get(entry.name)
    if (group === undefined) groups.set(entry.name, [entry])
    else group.push(entry)
  }
  return groups
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
