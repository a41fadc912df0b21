/** What makes a parsed value dangerous to walk or to copy, and the path that leads there, innermost first. */
export interface Offence {
  readonly reason: string
  readonly path: string[]
}

// `__proto__` as a key becomes somebody's prototype as soon as an innocent handler copies the object by assignment.
const POISON = '__proto__'

/** Finds what makes a value dangerous, by walking at most `depthLeft` levels; undefined when nothing does. */
export function findOffence(value: unknown, depthLeft: number): Offence | undefined {
  return isBranch(value) ? findInBranch(value, depthLeft) : undefined
}

/** Only called for what can hold more: most members are leaves, and a call for each would cost more than the look. */
function findInBranch(branch: Branch, depthLeft: number): Offence | undefined {
  if (depthLeft === 0) return { reason: 'nests too deeply', path: [] }
  if (Array.isArray(branch)) {
    for (let index = 0; index < branch.length; index += 1) {
      const item: unknown = branch[index]
      const offence = isBranch(item) ? findInBranch(item, depthLeft - 1) : undefined
      if (offence) return within(offence, String(index))
    }
    return undefined
  }
  for (const key in branch) {
    if (key === POISON) return { reason: 'has a member named "__proto__"', path: [key] }
    const member = branch[key]
    const offence = isBranch(member) ? findInBranch(member, depthLeft - 1) : undefined
    if (offence) return within(offence, key)
  }
  return undefined
}

type Branch = unknown[] | Record<string, unknown>

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

function within(offence: Offence, key: string): Offence {
  offence.path.push(key)
  return offence
}
