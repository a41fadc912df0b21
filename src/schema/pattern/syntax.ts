import { anyCharacter, type CharacterSet } from './characters.ts'
import { createCharacterReader, createCursor, single } from './escapes.ts'

/** A regular expression reduced to what decides about its matches; groups have become their content, which says what they are called. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[]; readonly group?: Group }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[]; readonly group?: Group }
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
  | { readonly kind: 'same'; readonly group: string }

/** What a back-reference may call a group: its number, and its name. */
type Group = readonly string[]

/** Deeper groups than this are not read: each is a call of the reader to itself. */
const MAX_DEPTH = 250

const LOOKS: readonly (readonly [text: string, isAhead: boolean, isNegated: boolean])[] = [
  ['(?=', true, false],
  ['(?!', true, true],
  ['(?<=', false, false],
  ['(?<!', false, true],
]

/**
 * Reads a regular expression, with or without the `u` flag. JavaScript has compiled it before, so what is written here
 * need not be checked again, only understood (ECMA-262, 22.2.1 and B.1.2).
 */
export function parsePattern(source: string, unicode: boolean): PatternNode {
  const hasNames = unicode || /\(\?<(?![=!])/.test(source)
  const groups = countGroups(source)
  const cursor = createCursor(source)
  const { readClass, readEscaped } = createCharacterReader(cursor, unicode)
  let depth = 0
  let counted = 0

  function readChoice(): PatternNode & { readonly kind: 'sequence' | 'choice' } {
    depth += 1
    if (depth > MAX_DEPTH) throw new SyntaxError('its groups are nested too deeply')
    const options = [readSequence()]
    while (cursor.take('|')) options.push(readSequence())
    depth -= 1
    const [only] = options
    return options.length === 1 && only ? only : { kind: 'choice', options }
  }

  function readSequence(): PatternNode & { readonly kind: 'sequence' } {
    const items: PatternNode[] = []
    while (!cursor.isAtEnd() && cursor.peek() !== '|' && cursor.peek() !== ')') {
      items.push(readQuantified(readTerm()))
    }
    return { kind: 'sequence', items }
  }

  function readQuantified(content: PatternNode): PatternNode {
    const found = cursor.takeMatch(/([*+?])\??|\{(\d+)(?:(,)(\d*))?\}\??/y)
    if (found === null) return content
    const [, sign, least = '', comma, most] = found
    if (sign !== undefined) {
      return {
        kind: 'repeat',
        content,
        least: sign === '+' ? 1 : 0,
        most: sign === '?' ? 1 : Number.POSITIVE_INFINITY,
      }
    }
    const upper = comma === undefined ? least : most || 'Infinity'
    return { kind: 'repeat', content, least: Number(least), most: Number(upper) }
  }

  function readTerm(): PatternNode {
    if (cursor.take('^')) return { kind: 'edge', edge: '^' }
    if (cursor.take('$')) return { kind: 'edge', edge: '$' }
    if (cursor.take('.')) return { kind: 'set', set: anyCharacter() }
    if (cursor.peek() === '(') return readGroup()
    if (cursor.peek() === '[') return { kind: 'set', set: readClass() }
    if (cursor.peek() !== '\\') return { kind: 'set', set: single(cursor.readCharacter()) }
    if (cursor.take('\\b')) return { kind: 'edge', edge: '\\b' }
    if (cursor.take('\\B')) return { kind: 'edge', edge: '\\B' }
    const named = hasNames ? cursor.takeMatch(/\\k<([^>]*)>/y) : null
    if (named !== null) return { kind: 'same', group: named[1] ?? '' }
    const start = cursor.at()
    const back = cursor.takeMatch(/\\([1-9]\d*)/y)
    if (back !== null && (unicode || Number(back[1]) <= groups))
      return { kind: 'same', group: back[1] ?? '' }
    cursor.skip(start - cursor.at())
    return { kind: 'set', set: readEscaped() }
  }

  function readGroup(): PatternNode {
    const look = LOOKS.find(([text]) => cursor.take(text))
    const start =
      look === undefined ? cursor.takeMatch(/\((?:(\?:)|\?<([^>]*)>|(?!\?))/y) : undefined
    if (start === null) throw new SyntaxError('it changes flags inside')
    const isCounted = start !== undefined && start[1] === undefined
    const group = isCounted ? [`${++counted}`, start[2] ?? ''] : undefined
    const content = readChoice()
    cursor.take(')')
    if (look === undefined) return group === undefined ? content : { ...content, group }
    return { kind: 'look', content, isAhead: look[1], isNegated: look[2] }
  }

  return readChoice()
}

/** Counts the groups a number can refer back to. */
function countGroups(source: string): number {
  // A class that never ends takes the rest, so that no text of brackets is looked at twice.
  const bare = source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?/g, '')
  return bare.match(/\((?!\?)|\(\?<(?![=!])/g)?.length ?? 0
}
