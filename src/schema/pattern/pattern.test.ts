import '../../../test/support/property.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, judgePattern, toRegExp } from './index.ts'
import { compileLinear } from './linear.ts'
import { type PatternNode, parsePattern } from './syntax.ts'

const atoms = fc.oneof(
  fc.constantFrom(
    ...['a', 'b', 'é', '\u{1f600}', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\n', '\\t'],
    ...['\\u0061', '\\u{1f600}', '\\x62', '\\cJ', '\\0', '\\/', '\\.', '\\$', '[\\b]', '[^]', '[]'],
    ...[
      '\\p{L}',
      '\\P{L}',
      '\\p{Lu}',
      '\\p{Letter}',
      '\\p{Script=Greek}',
      '\\p{ASCII}',
      '[\\p{L}1]',
    ],
    ...['[ab]', '[^ab]', '[a-c0-9_-]', '[\\d\\-]', '[^\\s\\w]', '[\\u{1f600}-\\u{1f64f}]', '[.*+]'],
  ),
  fc.constantFrom('^', '$', '\\b', '\\B'),
)

const counts = ['', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,3}', '{2,}', '*?', '+?', '{0}']

const toItems = (parts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(parts, fc.constantFrom(...counts))
    .map(([part, count]) => (/^(?:\^|\$|\\[bB])$/.test(part) ? part : part + count))

const toChoices = (items: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(
      fc.array(items, { maxLength: 3 }).map((parts) => parts.join('')),
      {
        minLength: 1,
        maxLength: 2,
      },
    )
    .map((options) => options.join('|'))

const inner = toChoices(toItems(atoms))
const groups = fc.tuple(fc.constantFrom('(', '(?:'), inner).map((parts) => `${parts.join('')})`)
const patterns = fc
  .tuple(
    fc.constantFrom('', '^', '^(?=.*a)', '^(?!b)'),
    toChoices(toItems(fc.oneof(atoms, groups))),
    fc.constantFrom('', '$'),
  )
  .map((parts) => parts.join(''))

const texts = fc
  .array(
    fc.constantFrom(
      ...['a', 'b', 'c', 'A', 'é', 'α', '1', '_', '-', ' ', '\n', '\r', '\t', '\u2028', '\ufeff'],
      ...['\u{1f600}', '\b', '\0', '/', '.', '$', '*'],
    ),
    { maxLength: 8 },
  )
  .map((characters) => characters.join(''))

describe('a pattern', () => {
  it('means on every engine what it means in JavaScript', () => {
    let onRe2 = 0
    fc.assert(
      fc.property(patterns, fc.array(texts, { maxLength: 12 }), (pattern, samples) => {
        const native = new RegExp(pattern, 'u')
        const chosen = compilePattern(pattern)
        const linear = tryLinear(pattern)
        if (linear !== undefined) onRe2 += 1
        for (const text of samples) {
          const expected = native.test(text)
          if (chosen.unchecked === undefined)
            expect([text, chosen.test(text)]).toEqual([text, expected])
          if (linear !== undefined) expect([text, linear.test(text)]).toEqual([text, expected])
        }
      }),
      { numRuns: 500 },
    )
    expect(onRe2).toBeGreaterThan(300)
  })

  it('that is called linear never makes a backtracking engine try a place again and again', () => {
    let judged = 0
    fc.assert(
      fc.property(
        patterns,
        fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 3 }),
        (pattern, unit) => {
          if (judgePattern(pattern) !== 'linear') return
          judged += 1
          const node = parsePattern(pattern, true)
          const text = `${unit.repeat(20)}!`
          expect(countSteps(node, text)).toBeLessThan(
            40 * (text.length + 1) * (countNodes(node) + 1),
          )
        },
      ),
      { numRuns: 500 },
    )
    expect(judged).toBeGreaterThan(50)
  })

  it.each([
    ['^[a-z]+$', 'linear'],
    ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 'linear'],
    ['^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})$', 'linear'],
    ['^[A-Z]{2}[A-Z0-9]{1,30}$', 'linear'],
    ['^(?:[a-z]+-)*[A-Z]$', 'linear'],
    ['\\d+$', 'unknown'],
    ['^.*,.*$', 'unknown'],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'unknown'],
    ['^(a+)+$', 'exponential'],
    ['^(a|a)*$', 'exponential'],
    ['^(a|aa)+$', 'exponential'],
    ['^(\\w+\\s?)*$', 'exponential'],
    ['(a*)*b', 'exponential'],
    ['^((a?|b?)c)*$', 'exponential'],
    ['^(a?){30}a{30}$', 'exponential'],
    ['^(?=(a+)+$)', 'exponential'],
    ['^(a+)+\\1$', 'exponential'],
  ])('%s is %s', (pattern, cost) => {
    expect(judgePattern(pattern)).toBe(cost)
  })

  it.each([
    ['(?<=a)b', 'looks ahead or behind'],
    ['^a(?=b)', 'looks ahead or behind'],
    ['(a)\\1', 'refers back to a group'],
    ['(?:a{1000}){1000}b', 'repeats too much'],
    ['((a{30}b?){30}c?){30}', 'repeats too much'],
    [`(a|b)*${'c'.repeat(10_000)}`, 'longer than 10000 characters'],
    [`${'('.repeat(300)}a+${')+'.repeat(300)}b`, 'nested too deeply'],
  ])('that cannot run in linear time is not checked: %s', (pattern, reason) => {
    const compiled = compilePattern(pattern)
    expect(compiled.unchecked).toContain(reason)
    expect(compiled.test('')).toBe(true)
    expect(compilePattern(pattern, { isOwn: true })).toEqual(toRegExp(pattern))
  })

  it.each(['\\d\\p{L}', '^(\\D\\p{L}?)+$', '[\\d\\p{L}]', '^([\\s\\P{L}]+)+$'])(
    'keeps a class before a Unicode property: %s',
    (pattern) => {
      const native = new RegExp(pattern, 'u')
      const linear = compileLinear(parsePattern(pattern, true))
      for (const text of ['', '1', 'a', '1a', 'a1', ' ', '!a']) {
        expect([text, linear.test(text)]).toEqual([text, native.test(text)])
      }
    },
  )

  it('knows every Unicode property, and runs in linear time with it', () => {
    const compiled = compilePattern('^([\\p{Script_Extensions=Greek}\\d]+)+$')
    expect(compiled.unchecked).toBeUndefined()
    expect(compiled.test('αβγ1')).toBe(true)
    expect(compiled.test(`${'α'.repeat(50_000)}!`)).toBe(false)
  })

  it.each([
    ...[
      '\\-a',
      'a{',
      'a{,2}',
      '[\\w-a]',
      '[a-\\d]',
      '\\07',
      '\\101',
      '[\\101]',
      '\\c',
      '[\\c]',
      '\\8',
    ],
    ...[
      '\\ca',
      '\\p{L}',
      '\\u{2}',

      ']',
      '}',
      '\\k<a>',
      '(a)|\\2',
      '[]-a]',
      '[^]a',
      '\\xa',
      '\\u12',
    ],
  ])('without the u flag means on the linear engine what it means in JavaScript: %s', (pattern) => {
    const native = new RegExp(`^(?:${pattern})$`)
    const linear = compileLinear(parsePattern(`^(?:${pattern})$`, false))
    const samples = [
      '-a',
      'a{',
      'a{,2}',
      'a',
      'w',
      '-',
      'd',
      '\x07',
      '\x07',
      'A',
      '\\c',
      '\\',
      'c',
      '8',
      '\x01',
      'p{L}',
      'uu',
      'u{2}',
      'b',
      ']',
      '}',
      'k<a>',
      '\x02',
      ']-a]',
      '-a]',
      'xa',
      'u12',
      '',
    ]
    expect(samples.map(linear.test)).toEqual(samples.map((text) => native.test(text)))
  })

  it('of older habits is read without the u flag, and in linear time as well', () => {
    const compiled = compilePattern('^(\\-a+)+\\_$')
    expect(compiled.unchecked).toBeUndefined()
    expect(compiled.test('-a-aa_')).toBe(true)
    expect(compiled.test(`${'-a'.repeat(50_000)}!`)).toBe(false)
  })

  it('that describes a password is checked part by part', () => {
    const { test, unchecked } = compilePattern('^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$')
    expect(unchecked).toBeUndefined()
    expect(
      ['Secret123', 'secret123', 'Secretabc', 'Se 123456', 'Ab1'].map((text) => test(text)),
    ).toEqual([true, false, false, false, false])
  })
})

function tryLinear(pattern: string): { test: (text: string) => boolean } | undefined {
  try {
    return compileLinear(parsePattern(pattern, true))
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

/** Counts what an engine that tries one way after the other does with a text, for all places to begin at. */
function countSteps(pattern: PatternNode, text: string): number {
  const limit = 100_000
  let steps = 0
  type Next = (at: number) => boolean
  const match = (node: PatternNode, at: number, next: Next): boolean => {
    steps += 1
    if (steps > limit) return true
    switch (node.kind) {
      case 'set': {
        const point = text.codePointAt(at)
        const fits =
          point !== undefined && node.set.ranges.some(([from, to]) => from <= point && point <= to)
        return fits && next(at + 1)
      }
      case 'sequence':
        return node.items.reduceRight<Next>(
          (after, item) => (place) => match(item, place, after),
          next,
        )(at)
      case 'choice':
        return node.options.some((option) => match(option, at, next))
      case 'repeat': {
        const round = (count: number, place: number): boolean =>
          (count < node.most &&
            match(
              node.content,
              place,
              (end) => (end > place || count < node.least) && round(count + 1, end),
            )) ||
          (count >= node.least && next(place))
        return round(0, at)
      }
      case 'edge':
        if (node.edge === '^') return at === 0 && next(at)
        return (node.edge === '$' ? at === text.length : true) && next(at)
      default:
        throw new TypeError(`${node.kind} cannot be linear`)
    }
  }
  for (let start = 0; start <= text.length; start += 1) match(pattern, start, () => false)
  return steps
}

function countNodes(node: PatternNode): number {
  if (node.kind === 'sequence')
    return 1 + node.items.reduce((sum, item) => sum + countNodes(item), 0)
  if (node.kind === 'choice')
    return 1 + node.options.reduce((sum, item) => sum + countNodes(item), 0)
  if (node.kind === 'repeat')
    return 1 + countNodes(node.content) * Math.min(Math.max(node.least, 1), 3)
  return 1
}
