import type { CharacterSet } from '../../src/schema/pattern/characters.ts'
import { type PatternNode, parsePattern } from '../../src/schema/pattern/syntax.ts'

/** More steps than any attack here may need. */
const MOST_STEPS = 100_000
const [FEW, MANY] = [12, 48]
/** Characters that texts are made of, as far as a pattern knows them. */
const ALPHABET = [...'a0A_ -/{}<>"\'\\.,;:*#$@[](=?%&|+!\t\n\r~\u00e9\u2028']
const UNKNOWN = '\u0001'

class TooManySteps extends Error {}

/** Finds a text for which a backtracking engine takes more than linear time, by counting its steps. */
export function findAttack(source: string, flags: string): string | undefined {
  const node = parsePattern(source, flags.includes('u'))
  const sets = listSets(node)
  const known = ALPHABET.filter((char) => sets.some((set) => holds(set, char)))
  const samples = [...new Set([0, 1, 2, 3].map((choice) => toSample(node, choice)))]
  const beginnings = [0, 1, 2, 3, 5, 8]
  const prefixes = new Set([
    UNKNOWN,
    ...samples.flatMap((sample) => beginnings.map((end) => sample.slice(0, end))),
  ])
  const pairs = samples.flatMap((sample) => beginnings.map((from) => sample.slice(from, from + 2)))
  for (const pump of new Set([...samples, ...known, ...pairs])) {
    for (const prefix of prefixes) {
      for (const suffix of [UNKNOWN, '']) {
        if (pump === '') continue
        const steps = (count: number) =>
          countSteps(node, flags, `${prefix}${pump.repeat(count)}${suffix}`)
        const few = steps(FEW)
        if (few === Number.POSITIVE_INFINITY) return JSON.stringify([prefix, pump, suffix])
        // Four times the text takes four times the steps, and sixteen times when each is looked at for each.
        if (steps(MANY) > few * 7) return JSON.stringify([prefix, pump, suffix])
      }
    }
  }
  return undefined
}

/** Counts what an engine tries for all matches in a text. */
function countSteps(pattern: PatternNode, flags: string, text: string): number {
  let steps = 0
  const isEdge = (edge: string, at: number): boolean => {
    if (edge === '^') return at === 0 || (flags.includes('m') && text[at - 1] === '\n')
    if (edge === '$') return at === text.length || (flags.includes('m') && text[at] === '\n')
    const isBoundary = /\w/.test(text[at - 1] ?? ' ') !== /\w/.test(text[at] ?? ' ')
    return (edge === '\\b') === isBoundary
  }
  const run = (node: PatternNode, at: number, next: (at: number) => boolean): boolean => {
    steps += 1
    if (steps > MOST_STEPS) throw new TooManySteps()
    switch (node.kind) {
      case 'set':
        return at < text.length && holds(node.set, text[at] ?? '') && next(at + 1)
      case 'sequence': {
        const from = (index: number, place: number): boolean => {
          const item = node.items[index]
          return item === undefined ? next(place) : run(item, place, (end) => from(index + 1, end))
        }
        return from(0, at)
      }
      case 'choice':
        return node.options.some((option) => run(option, at, next))
      case 'repeat': {
        const round = (count: number, place: number): boolean => {
          const again = (end: number) =>
            (end > place || count < node.least) && round(count + 1, end)
          if (count < node.most && run(node.content, place, again)) return true
          return count >= node.least && next(place)
        }
        return round(0, at)
      }
      case 'edge':
        return isEdge(node.edge, at) && next(at)
      case 'look': {
        const from = node.isAhead ? at : at - 1
        const found = from >= 0 && run(node.content, from, () => true)
        return found !== node.isNegated && next(at)
      }
      case 'same':
        return next(at)
    }
  }
  try {
    for (let at = 0; at <= text.length; ) {
      let end = at
      const found = run(pattern, at, (place) => {
        end = place
        return true
      })
      if (found ? !flags.includes('g') : flags.includes('y')) break
      at = Math.max(at + 1, end)
    }
  } catch (thrown) {
    if (!(thrown instanceof TooManySteps)) throw thrown
    return Number.POSITIVE_INFINITY
  }
  return steps
}

function holds({ ranges }: CharacterSet, char: string): boolean {
  const code = char.codePointAt(0) ?? 0
  return ranges.some(([from, to]) => code >= from && code <= to)
}

function listSets(node: PatternNode): readonly CharacterSet[] {
  if (node.kind === 'set') return [node.set]
  if (node.kind === 'sequence') return node.items.flatMap(listSets)
  if (node.kind === 'choice') return node.options.flatMap(listSets)
  return node.kind === 'repeat' || node.kind === 'look' ? listSets(node.content) : []
}

/** Makes a text that a pattern matches, about: each repetition once, of each choice the option told. */
function toSample(node: PatternNode, choice: number): string {
  if (node.kind === 'set') {
    const char = ALPHABET.find((one) => holds(node.set, one))
    return char ?? String.fromCodePoint(node.set.ranges[0]?.[0] ?? 0)
  }
  if (node.kind === 'sequence') return node.items.map((item) => toSample(item, choice)).join('')
  if (node.kind === 'choice') {
    const option = node.options[choice % node.options.length]
    return option === undefined ? '' : toSample(option, choice)
  }
  if (node.kind !== 'repeat' || node.most === 0) return ''
  return toSample(node.content, choice).repeat(Math.min(Math.max(node.least, 1), 8))
}
