import type { AST } from '@eslint-community/regexpp'
import { toRegExp } from './compile.ts'
import { parseSource, toRanges } from './syntax.ts'

/** What chooses among the texts that a pattern matches. */
export interface WriteMatchOptions {
  readonly random: {
    readonly whole: (low: number, high: number) => number
    readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  }
  /** How often a part without an upper bound is repeated beyond what it must. */
  readonly extra: number
}

const MAX_PATTERN = 10_000
const LONGEST = 2_000
/** As many characters of a set outside of ASCII are chosen from. */
const MOST_CHARACTERS = 300
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter(
  (character) => !/["'\\`]/.test(character),
)

/**
 * Writes a text that a pattern was made for. Lookarounds are ignored, so whoever asks has to test the text; undefined
 * when the pattern cannot be read at all.
 */
export function writeMatch(pattern: string, options: WriteMatchOptions): string | undefined {
  if (pattern.length > MAX_PATTERN) return undefined
  try {
    const { unicode } = toRegExp(pattern)
    return createWriter(options, unicode)(parseSource(pattern, unicode).alternatives)
  } catch (thrown) {
    // Neither a pattern that is not one nor a set without characters is a mistake of ours.
    if (
      thrown instanceof SyntaxError ||
      thrown instanceof TypeError ||
      thrown instanceof RangeError
    )
      return undefined
    throw thrown
  }
}

function createWriter({ random, extra }: WriteMatchOptions, unicode: boolean) {
  const groups = new Map<AST.CapturingGroup, string>()
  let length = 0

  const pick = (items: readonly string[]): string => {
    const [first, ...rest] = items
    if (first === undefined) throw new SyntaxError('a class allows nothing')
    return random.pick([first, ...rest])
  }

  const writeOne = (alternatives: readonly AST.Alternative[]): string => {
    const chosen = alternatives[random.whole(0, alternatives.length - 1)]
    return (chosen?.elements ?? []).map(write).join('')
  }

  const write = (element: AST.Element): string => {
    if (length > LONGEST) return ''
    switch (element.type) {
      case 'Character':
        length += 1
        return String.fromCodePoint(element.value)
      case 'CharacterSet':
      case 'CharacterClass':
        length += 1
        return pick(listCharacters(element, unicode))
      case 'Group':
        return writeOne(element.alternatives)
      case 'CapturingGroup': {
        const text = writeOne(element.alternatives)
        groups.set(element, text)
        return text
      }
      case 'Backreference':
        return [element.resolved]
          .flat()
          .reduce((text, group) => text + (groups.get(group) ?? ''), '')
      case 'Quantifier': {
        const most = Math.max(element.min, Math.min(element.max, element.min + extra))
        const count = Math.min(random.whole(element.min, most), LONGEST)
        return Array.from({ length: count }, () => write(element.element)).join('')
      }
      default:
        return ''
    }
  }
  return writeOne
}

/** Lists characters of a set, those that everybody can type first. */
function listCharacters(
  element: AST.CharacterSet | AST.CharacterClass,
  unicode: boolean,
): readonly string[] {
  const isMember = new RegExp(`^${element.raw}$`, unicode ? 'u' : '')
  const typed = PRINTABLE.filter((character) => isMember.test(character))
  if (typed.length > 0) return typed
  return toRanges(element)
    .flatMap(([from, to]) =>
      Array.from({ length: Math.min(to - from + 1, MOST_CHARACTERS) }, (_, index) => from + index),
    )
    .slice(0, MOST_CHARACTERS)
    .map((point) => String.fromCodePoint(point))
}
