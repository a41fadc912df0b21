/** What pruning needs to know about a capability. */
export interface Prunable {
  readonly extends: readonly string[] | undefined
}

/**
 * Removes, in place, extensions none of whose parents is left, until nothing changes.
 * A work queue keeps it linear in the number of parent links; the result does not depend on the order.
 */
export function pruneOrphans(
  active: Map<string, Prunable>,
  onRemoved: (name: string) => void,
): void {
  const living = new Map<string, number>()
  const children = new Map<string, string[]>()
  const orphans: string[] = []
  for (const [name, { extends: parents }] of active) {
    if (parents === undefined) continue
    const present = parents.filter((parent) => active.has(parent))
    living.set(name, present.length)
    for (const parent of present) append(children, parent, name)
    if (present.length === 0) orphans.push(name)
  }
  for (let orphan = orphans.pop(); orphan !== undefined; orphan = orphans.pop()) {
    active.delete(orphan)
    onRemoved(orphan)
    for (const child of children.get(orphan) ?? []) {
      const left = (living.get(child) ?? 0) - 1
      living.set(child, left)
      if (left === 0) orphans.push(child)
    }
  }
}

/** Finds the extensions whose chain of parents never reaches a root: they keep each other alive. */
export function findRootless(active: ReadonlyMap<string, Prunable>): readonly string[] {
  const children = new Map<string, string[]>()
  const reached: string[] = []
  for (const [name, { extends: parents }] of active) {
    if (parents === undefined) reached.push(name)
    else for (const parent of parents) append(children, parent, name)
  }
  const rooted = new Set(reached)
  for (let name = reached.pop(); name !== undefined; name = reached.pop()) {
    for (const child of children.get(name) ?? []) {
      if (rooted.has(child)) continue
      rooted.add(child)
      reached.push(child)
    }
  }
  return rooted.size === active.size ? [] : [...active.keys()].filter((name) => !rooted.has(name))
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
