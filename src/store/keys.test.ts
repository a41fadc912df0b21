import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/property.ts'
import { newestFirst, storeKey, storePrefix } from '../entries/store.ts'

describe('storeKey', () => {
  it('joins parts with colons and escapes what would look like a joint', () => {
    expect(storeKey('op', 'alice', '7')).toBe('op:alice:7')
    expect(storeKey('op', 'a:b%', '\0')).toBe('op:a%3Ab%25:%00')
  })

  it('makes different keys of different parts', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom('a', ':', '%', '3', 'A') }), {
      minLength: 1,
    })
    fc.assert(
      fc.property(parts, parts, (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right)
        expect(storeKey(...left) === storeKey(...right)).toBe(same)
      }),
    )
  })
})

describe('storePrefix', () => {
  it('covers the keys below it and not those of an owner whose name starts alike', () => {
    const prefix = storePrefix('op', 'al')
    expect(storeKey('op', 'al', '7').startsWith(prefix)).toBe(true)
    expect(storeKey('op', 'alice', '7').startsWith(prefix)).toBe(false)
    expect(storeKey('op', 'al:7', 'x').startsWith(prefix)).toBe(false)
  })
})

describe('newestFirst', () => {
  it('sorts later moments before earlier ones', () => {
    const moments = [0, 1, 999, 1_700_000_000_000, 1_700_000_000_001, 8_640_000_000_000_000]
    expect(moments.map(newestFirst).toSorted()).toEqual(moments.map(newestFirst).toReversed())
  })
})
