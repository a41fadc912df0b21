import { createRequire } from 'node:module'
import type * as Regexpp from '@eslint-community/regexpp'

/** Code points from the first to the last, both included. */
export type Range = readonly [from: number, to: number]

/** What one character of a text may be. */
export interface CharacterSet {
  /** Sorted, disjoint; where `isExact` is false, a superset. */
  readonly ranges: readonly Range[]
  readonly isExact: boolean
  /** How RE2 writes the set; undefined where it has no name for it. */
  readonly text: string | undefined
}

/** A regular expression reduced to what decides about its matches; groups have become their content. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat'
      readonly content: PatternNode
      readonly least: number
      readonly most: number
    }
  | { readonly kind: 'edge'; readonly edge: '^' | '$' | '\\b' | '\\B' }
  | {
      readonly kind: 'look'
      readonly content: PatternNode
      readonly isAhead: boolean
      readonly isNegated: boolean
    }
  /** A back-reference. */
  | { readonly kind: 'same' }

const require = createRequire(import.meta.url)
const LAST = 0x10ffff
const EVERYTHING: readonly Range[] = [[0, LAST]]

/** Reads a regular expression that compiles, with or without the `u` flag. */
export function parsePattern(source: string, unicode: boolean): PatternNode {
  return toChoice(parseSource(source, unicode).alternatives)
}

/** Reads a regular expression into the tree of the parser. */
export function parseSource(source: string, unicode: boolean): Regexpp.AST.Pattern {
  // Loaded with the first pattern that is not obviously harmless, to keep it out of start-up.
  const { RegExpParser } = require('@eslint-community/regexpp') as typeof Regexpp
  const parser = new RegExpParser({ ecmaVersion: 2024 })
  return parser.parsePattern(source, 0, source.length, { unicode })
}

/** Gives the code points that a set or a class may be; all of them for one that only Unicode knows. */
export function toRanges(
  element: Regexpp.AST.CharacterSet | Regexpp.AST.CharacterClass,
): readonly Range[] {
  return (element.type === 'CharacterSet' ? toSet(element) : toClass(element)).ranges
}

function toChoice(alternatives: readonly Regexpp.AST.Alternative[]): PatternNode {
  const options = alternatives.map(({ elements }): PatternNode => {
    return { kind: 'sequence', items: elements.map(toNode) }
  })
  const [only] = options
  return options.length === 1 && only ? only : { kind: 'choice', options }
}

function toNode(element: Regexpp.AST.Element): PatternNode {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return toChoice(element.alternatives)
    case 'Quantifier': {
      const { min: least, max: most } = element
      return { kind: 'repeat', content: toNode(element.element), least, most }
    }
    case 'Assertion':
      return toAssertion(element)
    case 'Backreference':
      return { kind: 'same' }
    case 'Character':
      return { kind: 'set', set: exact([[element.value, element.value]]) }
    case 'CharacterSet':
      return { kind: 'set', set: toSet(element) }
    case 'CharacterClass':
      return { kind: 'set', set: toClass(element) }
    default:
      throw new SyntaxError(`${element.type} is not understood`)
  }
}

function toAssertion(element: Regexpp.AST.Assertion): PatternNode {
  switch (element.kind) {
    case 'start':
      return { kind: 'edge', edge: '^' }
    case 'end':
      return { kind: 'edge', edge: '$' }
    case 'word':
      return { kind: 'edge', edge: element.negate ? '\\B' : '\\b' }
    default:
      return {
        kind: 'look',
        content: toChoice(element.alternatives),
        isAhead: element.kind === 'lookahead',
        isNegated: element.negate,
      }
  }
}

const DIGITS: readonly Range[] = [[48, 57]]
const WORDS: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]
const SPACES: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
const CLASSES = { digit: DIGITS, word: WORDS, space: SPACES }

function toSet(element: Regexpp.AST.CharacterSet): CharacterSet {
  if (element.kind === 'any') return exact(complement(LINE_ENDS))
  if (element.kind === 'property') return toProperty(element)
  const ranges = CLASSES[element.kind]
  return exact(element.negate ? complement(ranges) : ranges)
}

/** Long names of categories that documents use; RE2 knows the short ones, and scripts by their name. */
const CATEGORIES: Readonly<Record<string, string>> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
}

function toProperty(element: Regexpp.AST.UnicodePropertyCharacterSet): CharacterSet {
  const { key, value, negate } = element
  if (key === 'ASCII' || key === 'Any') {
    const ranges: readonly Range[] = key === 'Any' ? EVERYTHING : [[0, 127]]
    return exact(negate ? complement(ranges) : ranges)
  }
  const name = value ?? key
  const isKnown = value === null || /^(General_Category|gc|Script|sc)$/.test(key)
  const text = `\\${negate ? 'P' : 'p'}{${CATEGORIES[name] ?? name}}`
  return { ranges: EVERYTHING, isExact: false, text: isKnown ? text : undefined }
}

function toClass({ elements, negate }: Regexpp.AST.CharacterClass): CharacterSet {
  const sets = elements.map((element): CharacterSet => {
    if (element.type === 'Character') return exact([[element.value, element.value]])
    if (element.type === 'CharacterClassRange')
      return exact([[element.min.value, element.max.value]])
    if (element.type === 'CharacterSet') return toSet(element)
    throw new SyntaxError(`${element.type} is not understood`)
  })
  const ranges = union(sets.flatMap((set) => set.ranges))
  if (sets.every((set) => set.isExact)) return exact(negate ? complement(ranges) : ranges)
  const texts = sets.map(({ text }) => text?.replace(/^\[(.*)\]$/, '$1'))
  const text = texts.includes(undefined) ? undefined : `[${negate ? '^' : ''}${texts.join('')}]`
  return { ranges: EVERYTHING, isExact: false, text }
}

function exact(ranges: readonly Range[]): CharacterSet {
  // RE2 has no empty class; nothing is what is outside of everything.
  const members =
    ranges.length === 0 ? `^${printRange([0, LAST])}` : ranges.map(printRange).join('')
  return { ranges, isExact: true, text: `[${members}]` }
}

function printRange([from, to]: Range): string {
  return `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`
}

function union(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

function complement(ranges: readonly Range[]): readonly Range[] {
  const rest: Range[] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) rest.push([next, from - 1])
    next = to + 1
  }
  return next > LAST ? rest : [...rest, [next, LAST]]
}

/** Tells whether some character is in both sets. */
export function overlaps({ ranges: left }: CharacterSet, { ranges: right }: CharacterSet): boolean {
  let [i, j] = [0, 0]
  while (i < left.length && j < right.length) {
    const [a = [0, 0], b = [0, 0]] = [left[i], right[j]]
    if (a[0] <= b[1] && b[0] <= a[1]) return true
    if (a[1] < b[1]) i += 1
    else j += 1
  }
  return false
}
