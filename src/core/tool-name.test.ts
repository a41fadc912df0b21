import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/property.ts'
import { fromToolName } from '../values/index.ts'
import { TOOL_NAME, toToolName } from './tool-name.ts'

describe('toToolName', () => {
  it.each([
    ['orders.create', 'orders__create'],
    ['events.legacy_create', 'events__legacy_create'],
    ['get-weather', 'get-weather'],
    ['read_file', 'read_file'],
    ['image/resize', 'image____resize'],
    ['urn:cline:forrst:fn:health', 'urn___cline___forrst___fn___health'],
  ])('spells %s as %s and reads it back', (name, tool) => {
    expect(toToolName(name)).toBe(tool)
    expect(fromToolName(tool)).toBe(name)
  })

  it('keeps the names of the client limits for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (name) => {
        expect(toToolName(name)).toMatch(TOOL_NAME)
      }),
    )
  })

  it('reads back what it spelled out, or says that it cannot', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9_.:/-]{1,90}$/)
    fc.assert(
      fc.property(part, (name) => {
        const back = fromToolName(toToolName(name))
        expect(back === undefined || back === name).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('gives different names to functions that differ only in separators', () => {
    const names = [
      'a.b',
      'a_b',
      'a:b',
      'a/b',
      'a-b',
      'a__b',
      'a._b',
      'a_.b',
      'a..b',
      'a b',
      'A.b',
      '.a.b',
      'a.b.',
    ]
    expect(new Set(names.map(toToolName)).size).toBe(names.length)
  })

  it('keeps long names apart that begin alike', () => {
    const long = `${'segment.'.repeat(12)}end`
    expect(toToolName(`${long}1`)).not.toBe(toToolName(`${long}2`))
    expect(toToolName(`${long}1`)).toHaveLength(64)
  })
})
