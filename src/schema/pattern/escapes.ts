import { type CharacterSet, exact, fromSource, joinSets, toClassEscape } from './characters.ts'

/** A place in the source of a pattern. */
export interface Cursor {
  readonly at: () => number
  readonly isAtEnd: () => boolean
  readonly peek: (ahead?: number) => string | undefined
  readonly skip: (count: number) => void
  readonly since: (start: number) => string
  /** Goes on behind a text if it comes next. */
  readonly take: (text: string) => boolean
  /** The same for a sticky expression. */
  readonly takeMatch: (expression: RegExp) => RegExpExecArray | null
  readonly readCharacter: () => number
}

/** Begins to read a pattern. */
export function createCursor(source: string): Cursor {
  let at = 0
  return {
    at: () => at,
    isAtEnd: () => at >= source.length,
    peek: (ahead = 0) => source[at + ahead],
    skip: (count) => {
      at += count
    },
    since: (start) => source.slice(start, at),
    take(text) {
      const found = source.startsWith(text, at)
      if (found) at += text.length
      return found
    },
    takeMatch(expression) {
      expression.lastIndex = at
      const match = expression.exec(source)
      if (match !== null) at = expression.lastIndex
      return match
    },
    readCharacter() {
      const code = source.codePointAt(at) ?? 0
      at += code > 0xffff ? 2 : 1
      return code
    },
  }
}

/** Reads what stands for one character: classes, escapes, characters themselves. */
export interface CharacterReader {
  readonly readClass: () => CharacterSet
  /** Reads an escape outside of a class. */
  readonly readEscaped: () => CharacterSet
}

/** Creates the reader of characters at a cursor. */
export function createCharacterReader(cursor: Cursor, unicode: boolean): CharacterReader {
  const { readSetEscape, readEscape } = createEscapeReader(cursor, unicode)

  function readClass(): CharacterSet {
    const start = cursor.at()
    cursor.skip(1)
    const isNegated = cursor.take('^')
    const sets: CharacterSet[] = []
    while (!cursor.isAtEnd() && !cursor.take(']')) {
      const first = readClassAtom()
      // A hyphen beside a class such as \w, or at the end, is a hyphen.
      if (typeof first !== 'number' || cursor.peek() !== '-' || cursor.peek(1) === ']') {
        sets.push(typeof first === 'number' ? single(first) : first)
        continue
      }
      cursor.skip(1)
      const second = readClassAtom()
      if (typeof second === 'number') sets.push(exact([[first, second]]))
      else sets.push(single(first), single(HYPHEN), second)
    }
    return sets.every(({ isExact }) => isExact)
      ? joinSets(sets, isNegated)
      : fromSource(cursor.since(start))
  }

  function readClassAtom(): CharacterSet | number {
    if (cursor.peek() !== '\\') return cursor.readCharacter()
    return readSetEscape() ?? readEscape(true)
  }

  return { readClass, readEscaped: () => readSetEscape() ?? single(readEscape(false)) }
}

function createEscapeReader(cursor: Cursor, unicode: boolean) {
  /** Reads an escape that stands for many characters. */
  function readSetEscape(): CharacterSet | undefined {
    const set = toClassEscape(cursor.peek(1) ?? '')
    if (set !== undefined) {
      cursor.skip(2)
      return set
    }
    const property = unicode && cursor.takeMatch(/\\[pP]\{[^}]*\}/y)
    return property ? fromSource(property[0]) : undefined
  }

  /** Reads an escape that stands for one character. */
  function readEscape(isInClass: boolean): number {
    const code = cursor.takeMatch(/\\(?:u([\da-f]{4})|x([\da-f]{2})|c([a-z]))/iy)
    if (code !== null) {
      const [, unit, byte, control] = code
      if (control !== undefined) return control.charCodeAt(0) % 32
      return joinSurrogates(Number.parseInt(unit ?? byte ?? '', 16))
    }
    const point = unicode && cursor.takeMatch(/\\u\{([\da-f]+)\}/iy)
    if (point) return Number.parseInt(point[1] ?? '', 16)
    const octal = cursor.takeMatch(/\\([0-3][0-7]{0,2}|[4-7][0-7]?)/y)
    if (octal !== null) return Number.parseInt(octal[1] ?? '', 8)
    // Without the flag, \c before anything but a letter is a backslash.
    if (cursor.take('\\c')) {
      cursor.skip(-1)
      return BACKSLASH
    }
    cursor.skip(1)
    const letter = cursor.peek() ?? ''
    if (letter === 'b' && isInClass) {
      cursor.skip(1)
      return BACKSPACE
    }
    const named = CONTROLS[letter]
    if (named === undefined) return cursor.readCharacter()
    cursor.skip(1)
    return named
  }

  function joinSurrogates(high: number): number {
    if (!unicode || high < 0xd800 || high > 0xdbff) return high
    const low = cursor.takeMatch(/\\u(d[c-f][\da-f]{2})/iy)?.[1]
    return low === undefined
      ? high
      : (high - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00) + 0x10000
  }

  return { readSetEscape, readEscape }
}

const HYPHEN = 45
const BACKSLASH = 92
const BACKSPACE = 8
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Makes the set of one character. */
export function single(code: number): CharacterSet {
  return exact([[code, code]])
}
