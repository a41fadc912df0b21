/** What makes a parsed value dangerous to walk or to copy, and the path that leads there, innermost first. */
export interface Offence {
  readonly reason: string
  readonly path: string[]
}

// `__proto__` as a key becomes somebody's prototype as soon as an innocent handler copies the object by assignment.
const POISON = '__proto__'

/** Finds what makes a value dangerous, by walking at most `depthLeft` levels; undefined when nothing does. */
export function findOffence(value: unknown, depthLeft: number): Offence | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (depthLeft === 0) return { reason: 'nests too deeply', path: [] }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const offence = findOffence(value[index], depthLeft - 1)
      if (offence) return within(offence, String(index))
    }
    return undefined
  }
  for (const key in value) {
    if (key === POISON) return { reason: 'has a member named "__proto__"', path: [key] }
    const offence = findOffence((value as Record<string, unknown>)[key], depthLeft - 1)
    if (offence) return within(offence, key)
  }
  return undefined
}

function within(offence: Offence, key: string): Offence {
  offence.path.push(key)
  return offence
}
