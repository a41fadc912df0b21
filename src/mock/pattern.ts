import { type PatternNode, parsePattern } from './pattern-syntax.ts'
import type { Random } from './random.ts'

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
  const parsed = parsePattern(pattern)
  if (parsed === undefined) return undefined
  const groups = new Map<number, string>()
  let length = 0

  const write = (node: PatternNode): string => {
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
