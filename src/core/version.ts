import compare from 'semver/functions/compare.js'
import prerelease from 'semver/functions/prerelease.js'

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
  return compare(left, right)
}

/** Derives stability from the prerelease tag: none is stable, an unknown tag counts as alpha. */
export function deriveStability(version: string): Stability {
  const tag = prerelease(version)?.[0]
  if (tag === undefined) return 'stable'
  return tag === 'beta' || tag === 'rc' ? tag : 'alpha'
}

/** Tells whether a version carries a prerelease tag. */
export function isPrerelease(version: string): boolean {
  return prerelease(version) !== null
}
