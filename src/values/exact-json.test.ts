import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/property.ts'
import { isLargeNumber, isLostNumber, parseExactJson, quoteNumbers } from './exact-json.ts'

/** Reads JSON letter by letter, slowly and obviously. */
function parseSlowly(text: string): unknown {
  let at = 0
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at += 1
  }
  const value = (): unknown => {
    skip()
    const rest = text.slice(at)
    const word = /^(?:true|false|null)/.exec(rest)?.[0]
    if (word !== undefined) {
      at += word.length
      return JSON.parse(word)
    }
    if (rest.startsWith('"')) {
      const literal = /^"(?:[^"\\]|\\.)*"/s.exec(rest)?.[0] ?? ''
      at += literal.length
      return JSON.parse(literal)
    }
    if (rest.startsWith('[')) return list(']', value)
    if (rest.startsWith('{')) {
      return Object.fromEntries(
        list('}', () => {
          const name = value() as string
          skip()
          at += 1
          return [name, value()] as const
        }),
      )
    }
    const literal = /^[-+.\deE]+/.exec(rest)?.[0] ?? ''
    at += literal.length
    const isWhole = /^-?\d+$/.test(literal)
    if (!isWhole) return Number.isFinite(Number(literal)) ? Number(literal) : literal
    const isSafe = BigInt(literal) <= 9007199254740991n && BigInt(literal) >= -9007199254740991n
    return isSafe ? Number(literal) : literal
  }
  const list = <Item>(end: string, item: () => Item): Item[] => {
    at += 1
    const items: Item[] = []
    for (skip(); text[at] !== end; skip()) {
      if (text[at] === ',') at += 1
      items.push(item())
    }
    at += 1
    return items
  }
  return value()
}

const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '0',
    '-0',
    '1e400',
    '-1E+999',
    '1e5',
    '9007199254740993.0',
    '12345678901234567.5',
  ),
)
const string = fc
  .oneof(
    fc.string(),
    fc.constantFrom('9007199254740993', '\\', '"', '\\"9007199254740993', ',1e400', '\\\\'),
  )
  .map((text) => JSON.stringify(text))
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    number,
    string,
    fc.constantFrom('true', 'null'),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
    fc
      .array(fc.tuple(string, tie('json')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${name}: ${value}`).join(',\n')}}`),
  ),
}))

describe('reading JSON without rounding', () => {
  it('agrees with a slow reader for any text', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(parseExactJson(text)).toEqual(parseSlowly(text))
      }),
      { numRuns: 1000 },
    )
  })

  it('leaves a text alone when nothing in it is chosen', () => {
    fc.assert(fc.property(json, (text) => quoteNumbers(text, () => false) === text))
  })

  it('takes nothing for JSON that is none', () => {
    expect(() => parseExactJson('{9007199254740993: 1}')).toThrow(SyntaxError)
    expect(() => parseExactJson('"9007199254740993')).toThrow(SyntaxError)
  })

  it.each([
    ['9007199254740991', false, false],
    ['9007199254740992', true, false],
    ['9007199254740993', true, true],
    ['-9007199254740993', true, true],
    ['150000000000000000', true, false],
    ['6.02e23', false, false],
    ['1e400', true, true],
  ])('%s: large %s, lost %s', (literal, large, lost) => {
    expect([isLargeNumber(literal), isLostNumber(literal)]).toEqual([large, lost])
  })
})
