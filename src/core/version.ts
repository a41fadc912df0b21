// The expression of semver.org; `semver.valid` would also accept a leading "v" and spaces.
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/
const MAX_VERSION_LENGTH = 100

/** How settled a version is. */
export type Stability = 'stable' | 'beta' | 'alpha' | 'rc' | 'experimental' | 'removed'

/** Tells whether a text is a semantic version. */
export function isVersion(text: string): boolean {
  return text.length <= MAX_VERSION_LENGTH && SEMVER.test(text)
}

/** Orders two versions by semver precedence. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parseVersion(left), parseVersion(right)]
  for (const [index, number] of a.numbers.entries()) {
    const order = compareNumbers(number, b.numbers[index] ?? '')
    if (order !== 0) return order
  }
  // A version comes after its prereleases, and a longer row of identifiers after its beginning.
  if (a.tags.length === 0 || b.tags.length === 0) {
    return Math.sign(Number(a.tags.length === 0) - Number(b.tags.length === 0))
  }
  for (const [index, tag] of a.tags.entries()) {
    const other = b.tags[index]
    const order = other === undefined ? 1 : compareTags(tag, other)
    if (order !== 0) return order
  }
  return a.tags.length < b.tags.length ? -1 : 0
}

/** Derives stability from the prerelease tag: none is stable, an unknown tag counts as alpha. */
export function deriveStability(version: string): Stability {
  const [tag] = parseVersion(version).tags
  if (tag === undefined) return 'stable'
  return tag === 'beta' || tag === 'rc' ? tag : 'alpha'
}

/** Tells whether a version carries a prerelease tag. */
export function isPrerelease(version: string): boolean {
  return parseVersion(version).tags.length > 0
}

interface Version {
  readonly numbers: readonly string[]
  readonly tags: readonly string[]
}

function parseVersion(text: string): Version {
  const parts = SEMVER.exec(text)
  if (parts === null) throw new TypeError(`"${text}" is not a semantic version such as 1.0.0`)
  return { numbers: parts.slice(1, 4), tags: parts[4]?.split('.') ?? [] }
}

/** Semver 2.0.0, 11.4: numbers come before words, and words are compared by their characters. */
function compareTags(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (isNumber && isOtherNumber) return compareNumbers(left, right)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return left < right ? -1 : Number(left > right)
}

/** Compares digits without leading zeros, of any length. */
function compareNumbers(left: string, right: string): number {
  if (left.length !== right.length) return Math.sign(left.length - right.length)
  return left < right ? -1 : Number(left > right)
}
