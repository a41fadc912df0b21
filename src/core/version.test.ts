import '../../test/support/property.ts'
import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { compareVersions, deriveStability, isPrerelease } from './version.ts'

const identifier = fc.constantFrom('alpha', 'beta', 'rc', 'a-b', '0', '1', '2', '10', 'A', '-')
const number = fc.constantFrom('0', '1', '2', '10', '99')
const version = fc
  .tuple(
    number,
    number,
    number,
    fc.array(identifier, { maxLength: 3 }),
    fc.constantFrom('', '+b.1'),
  )
  .map(([major, minor, patch, tags, build]) => {
    return `${major}.${minor}.${patch}${tags.length === 0 ? '' : `-${tags.join('.')}`}${build}`
  })

describe('versions', () => {
  it('are ordered and told apart as the package semver does', () => {
    fc.assert(
      fc.property(version, version, (left, right) => {
        expect(compareVersions(left, right)).toBe(semver.compare(left, right))
        expect(isPrerelease(left)).toBe(semver.prerelease(left) !== null)
      }),
      { numRuns: 2_000 },
    )
  })

  it('have numbers of any length', () => {
    expect(compareVersions('1.0.99999999999999999998', '1.0.99999999999999999999')).toBe(-1)
  })

  it('are named when they are none', () => {
    expect(() => deriveStability('v1')).toThrow('"v1" is not a semantic version such as 1.0.0')
  })
})
