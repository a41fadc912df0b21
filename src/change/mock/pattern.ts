import type { Random } from './random.ts'

/** A part of a regular expression, as far as texts are written from it. */
export type MockPatternNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'set'; readonly characters: readonly [string, ...string[]] }
  | { readonly kind: 'sequence'; readonly items: readonly MockPatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly [MockPatternNode, ...MockPatternNode[]] }
  | { readonly kind: 'group'; readonly content: MockPatternNode; readonly index?: number }
  | { readonly kind: 'same'; readonly index: number }
  | {
      readonly kind: 'repeat'
      readonly content: MockPatternNode
      readonly least: number
      readonly most: number
    }

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const OTHER = ' !#$%&()*+,-./:;<=>?@[]^_{|}~'
const ALL = [...LOWER, ...UPPER, ...DIGITS, ...OTHER]
const WORD = [...LOWER, ...UPPER, ...DIGITS, '_']
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: [...DIGITS],
  w: WORD,
  s: [' '],
  D: ALL.filter((character) => !DIGITS.includes(character)),
  W: [...OTHER].filter((character) => character !== '_'),
  S: ALL.filter((character) => character !== ' '),
}
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  0: '\0',
}
const MAX_PATTERN = 10_000
const NOTHING: MockPatternNode = { kind: 'text', text: '' }

/** Reads a regular expression; undefined when it uses what is not understood. */
export function parseMockPattern(pattern: string): MockPatternNode | undefined {
  if (pattern.length > MAX_PATTERN) return undefined
  try {
    const reader = createReader(pattern)
    const node = readChoice(reader)
    return reader.ended() ? node : undefined
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return undefined
    throw thrown
  }
}

interface Reader {
  readonly peek: () => string
  readonly take: () => string
  /** Takes what an expression finds right here; undefined when it finds nothing. */
  readonly match: (expression: RegExp) => RegExpExecArray | undefined
  readonly ended: () => boolean
  readonly nextGroup: () => number
}

function createReader(pattern: string): Reader {
  let at = 0
  let groups = 0
  return {
    peek: () => pattern.charAt(at),
    take() {
      const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
      at += character.length
      return character
    },
    match(expression) {
      const sticky = new RegExp(expression.source, 'y')
      sticky.lastIndex = at
      const found = sticky.exec(pattern) ?? undefined
      if (found !== undefined) at += found[0].length
      return found
    },
    ended: () => at >= pattern.length,
    nextGroup() {
      groups += 1
      return groups
    },
  }
}

function readChoice(reader: Reader): MockPatternNode {
  const first = readSequence(reader)
  const rest: MockPatternNode[] = []
  while (reader.peek() === '|') {
    reader.take()
    rest.push(readSequence(reader))
  }
  return rest.length === 0 ? first : { kind: 'choice', options: [first, ...rest] }
}

function readSequence(reader: Reader): MockPatternNode {
  const items: MockPatternNode[] = []
  while (!reader.ended() && reader.peek() !== '|' && reader.peek() !== ')') {
    items.push(readRepeat(reader, readAtom(reader)))
  }
  return { kind: 'sequence', items }
}

function readRepeat(reader: Reader, content: MockPatternNode): MockPatternNode {
  const found = reader.match(/(?:([?*+])|\{(\d+)(?:(,)(\d*))?\})\??/)
  if (found === undefined) return content
  const [, sign, least = '', comma, most = ''] = found
  const bounds: Readonly<Record<string, readonly [number, number]>> = {
    '?': [0, 1],
    '*': [0, Number.POSITIVE_INFINITY],
    '+': [1, Number.POSITIVE_INFINITY],
  }
  const [low, high] = bounds[sign ?? ''] ?? [
    Number(least),
    comma === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most),
  ]
  return { kind: 'repeat', content, least: low, most: high }
}

function readAtom(reader: Reader): MockPatternNode {
  const character = reader.take()
  if (character === '^' || character === '$') return NOTHING
  if (character === '.') return toSet(ALL)
  if (character === '(') return readGroup(reader)
  if (character === '[') return readClass(reader)
  if (character === '\\') return readEscape(reader)
  return { kind: 'text', text: character }
}

function readGroup(reader: Reader): MockPatternNode {
  const kind = reader.match(/\?(?:<?[=!]|:|<\w+>)/)?.[0] ?? ''
  const looks = /[=!]$/.test(kind)
  const index = kind === '' || kind.endsWith('>') ? reader.nextGroup() : undefined
  const content = readChoice(reader)
  if (reader.take() !== ')') throw new SyntaxError('a group does not end')
  // What looks around takes no characters; the finished text is tested anyway.
  if (looks) return NOTHING
  return { kind: 'group', content, ...(index !== undefined && { index }) }
}

function readEscape(reader: Reader): MockPatternNode {
  const back = reader.match(/[1-9]/)
  if (back !== undefined) return { kind: 'same', index: Number(back[0]) }
  if (reader.match(/[bB]/) !== undefined) return NOTHING
  const characters = readEscaped(reader)
  return characters.length === 1 ? { kind: 'text', text: characters[0] ?? '' } : toSet(characters)
}

/** Reads what stands behind a backslash, inside or outside of a class. */
function readEscaped(reader: Reader): readonly string[] {
  const code = reader.match(/u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})/)
  if (code !== undefined) {
    return [String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '', 16))]
  }
  const property = reader.match(/p\{(\w+)(?:=\w+)?\}/)?.[1]
  if (property !== undefined) return toPropertySet(property)
  const letter = reader.take()
  return CLASSES[letter] ?? [ESCAPES[letter] ?? letter]
}

function toPropertySet(property: string): readonly string[] {
  if (/^(N|Nd|Number)$/.test(property)) return [...DIGITS]
  if (/^(Lu|Uppercase)/.test(property)) return [...UPPER]
  if (/^(P|S)/.test(property)) return ['-', '.', '!']
  return [...LOWER]
}

function readClass(reader: Reader): MockPatternNode {
  const negated = reader.match(/\^/) !== undefined
  const found = new Set<string>()
  while (!reader.ended() && reader.peek() !== ']') {
    const from = readMember(reader)
    const range = from.length === 1 ? reader.match(/-(?!\])/) : undefined
    const to = range === undefined ? undefined : readMember(reader)
    for (const character of toMembers(from, to)) found.add(character)
  }
  if (reader.take() !== ']') throw new SyntaxError('a class does not end')
  return toSet(negated ? ALL.filter((character) => !found.has(character)) : [...found])
}

function readMember(reader: Reader): readonly string[] {
  const character = reader.take()
  return character === '\\' ? readEscaped(reader) : [character]
}

const MOST_OF_RANGE = 300

function toMembers(from: readonly string[], to: readonly string[] | undefined): readonly string[] {
  if (to === undefined) return from
  if (to.length !== 1) return [...from, '-', ...to]
  const low = from[0]?.codePointAt(0) ?? 0
  const high = Math.min(to[0]?.codePointAt(0) ?? 0, low + MOST_OF_RANGE)
  const all = Array.from({ length: Math.max(0, high - low + 1) }, (_, index) =>
    String.fromCodePoint(low + index),
  )
  // Control characters are allowed by [^-~] and the like, and pleasant for nobody.
  const visible = all.filter((character) => character >= ' ')
  return visible.length > 0 ? visible : all
}

function toSet(characters: readonly string[]): MockPatternNode {
  const [first, ...rest] = characters
  if (first === undefined) throw new SyntaxError('a class allows nothing')
  return { kind: 'set', characters: [first, ...rest] }
}

/** How much of what a pattern leaves open is written. */
export interface PatternOptions {
  readonly random: Random
  /** How often a part without an upper bound is repeated beyond what it must. */
  readonly extra: number
}

const LONGEST = 2_000

/**
 * Writes a text that a pattern was made for. Looking ahead and behind is not understood, so whoever asks has to test
 * the text; undefined when the pattern cannot be read at all.
 */
export function writeMatch(pattern: string, options: PatternOptions): string | undefined {
  const parsed = parseMockPattern(pattern)
  if (parsed === undefined) return undefined
  const groups = new Map<number, string>()
  let length = 0

  const write = (node: MockPatternNode): string => {
    if (length > LONGEST) return ''
    switch (node.kind) {
      case 'text':
        length += node.text.length
        return node.text
      case 'set':
        length += 1
        return options.random.pick(node.characters)
      case 'sequence':
        return node.items.map(write).join('')
      case 'choice':
        return write(options.random.pick(node.options))
      case 'group': {
        const text = write(node.content)
        if (node.index !== undefined) groups.set(node.index, text)
        return text
      }
      case 'same':
        return groups.get(node.index) ?? ''
      case 'repeat': {
        const most = Math.min(node.most, node.least + options.extra)
        const count = options.random.whole(node.least, Math.max(node.least, most))
        return Array.from({ length: Math.min(count, LONGEST) }, () => write(node.content)).join('')
      }
    }
  }
  return write(parsed)
}
