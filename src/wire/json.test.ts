import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/property.ts'
import { CallError } from '../errors/error.ts'
import { findJsonError, parseJson } from './json.ts'

const FOLDER = fileURLToPath(new URL('../../../shared/fixtures/json-parsing/', import.meta.url))
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : []
const parse = (bytes: Uint8Array) => {
  try {
    return { value: parseJson(bytes, 64) }
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    return { code: thrown.code, source: thrown.errors[0].source }
  }
}

describe.skipIf(files.length === 0)('the JSON parsing torture set (needs ../shared)', () => {
  it.each(files.filter((name) => name.startsWith('y_')))('reads %s', (name) => {
    expect(parse(readFileSync(`${FOLDER}${name}`))).toHaveProperty('value')
  })

  it.each(files.filter((name) => name.startsWith('n_')))('refuses %s cleanly', (name) => {
    expect(parse(readFileSync(`${FOLDER}${name}`))).toMatchObject({ code: 'PARSE_ERROR' })
  })

  it.each(files.filter((name) => name.startsWith('i_')))('reads or refuses %s cleanly', (name) => {
    expect(parse(readFileSync(`${FOLDER}${name}`))).toBeTypeOf('object')
  })
})

describe('finding the place of a mistake', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['{', 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["{'a':1}", 1],
    ['{"a":tru}', 5],
    ['"a\nb"', 0],
    ['{"a":1} x', 8],
    ['[01]', 2],
    ['{"a":{"b":[1,{"c":nope}]}}', 18],
  ])('points into %j at %i', (text, offset) => {
    expect(findJsonError(text).offset).toBe(offset)
  })

  it('never points behind the end, whatever was broken', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 3 }), (text, at, inserted) => {
        const place = at % (text.length + 1)
        const broken = text.slice(0, place) + inserted + text.slice(place + 1)
        try {
          JSON.parse(broken)
        } catch {
          const { offset, expected } = findJsonError(broken)
          expect(offset).toBeLessThanOrEqual(broken.length)
          expect(expected).not.toBe('')
        }
      }),
      { numRuns: 2000 },
    )
  })
})
