import { toRegExp } from './compile.ts'
import { type PatternNode, parsePattern } from './syntax.ts'

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
/** As many characters outside of ASCII are looked for. */
const MOST_CHARACTERS = 300
const PRINTABLE = Array.from({ length: 95 }, (_, index) => 32 + index).filter(
  (point) => !/["'\\`]/.test(String.fromCodePoint(point)),
)

/**
 * Writes a text that a pattern was made for. Lookarounds are ignored, so whoever asks has to test the text; undefined
 * when the pattern cannot be read at all.
 */
export function writeMatch(pattern: string, options: WriteMatchOptions): string | undefined {
  if (pattern.length > MAX_PATTERN) return undefined
  try {
    return createWriter(options)(parsePattern(pattern, toRegExp(pattern).unicode))
  } catch (thrown) {
    // Not a regular expression, one that is nested too deeply, or a class without characters.
    if (thrown instanceof SyntaxError || thrown instanceof TypeError) return undefined
    throw thrown
  }
}

function createWriter({ random, extra }: WriteMatchOptions): (node: PatternNode) => string {
  const groups = new Map<string, string>()
  let length = 0
  const pick = <Item>(items: readonly Item[]): Item => {
    const [first, ...rest] = items
    if (first === undefined) throw new SyntaxError('a class allows nothing')
    return random.pick([first, ...rest])
  }

  const write = (node: PatternNode): string => {
    if (length > LONGEST) return ''
    switch (node.kind) {
      case 'set':
        length += 1
        return String.fromCodePoint(pick(listCodePoints(node.set)))
      case 'sequence':
        return note(node.group, node.items.map(write).join(''))
      case 'choice':
        return note(node.group, write(pick(node.options)))
      case 'same':
        return groups.get(node.group) ?? ''
      case 'repeat': {
        const most = Math.max(node.least, Math.min(node.most, node.least + extra))
        const count = Math.min(random.whole(node.least, most), LONGEST)
        return Array.from({ length: count }, () => write(node.content)).join('')
      }
      default:
        return ''
    }
  }
  const note = (group: readonly string[] = [], text: string): string => {
    for (const name of group) groups.set(name, text)
    return text
  }
  return write
}

/** Lists characters of a set, those that everybody can type where there are any. */
function listCodePoints({
  has,
  ranges,
}: (PatternNode & { kind: 'set' })['set']): readonly number[] {
  const typed = PRINTABLE.filter(has)
  if (typed.length > 0) return typed
  return ranges
    .flatMap(([from, to]) =>
      Array.from({ length: Math.min(to - from + 1, MOST_CHARACTERS) }, (_, index) => from + index),
    )
    .filter(has)
    .slice(0, MOST_CHARACTERS)
}
