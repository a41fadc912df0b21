import { type CharacterSet, overlaps } from './characters.ts'
import type { PatternNode } from './syntax.ts'

/**
 * How long a backtracking engine takes: `linear` is proven, `exponential` has two ways around one loop for the same
 * text, and `unknown` is everything between them, polynomial time included.
 */
export type Cost = 'linear' | 'unknown' | 'exponential'

const MOST_POSITIONS = 400
const MOST_EDGES = 20_000
const MOST_PAIRS = 100_000
/** Repetitions are written out up to this many positions, and taken for loops beyond. */
const MOST_COPIES = 64
/** Twice as long in each of so many rounds is still no time at all. */
const MANY = 12
/** A text of this length at most is looked at from each place where an unanchored match may begin. */
const LONGEST_UNANCHORED = 100

/**
 * Judges a pattern by its position automaton: where no character leaves a choice of the next position, and no text
 * can be matched in two ways, backtracking never tries a place twice. Edges count as often as operators make them, so
 * that `(a+)+` has two from `a` to itself.
 */
export function judgeCost(pattern: PatternNode): Cost {
  try {
    const automaton = toAutomaton(pattern)
    if (isDeterministic(automaton) && isBoundToStart(pattern, automaton)) return 'linear'
    return [automaton, ...automaton.looks].some(isExponential) ? 'exponential' : 'unknown'
  } catch (thrown) {
    if (thrown instanceof RangeError) return 'unknown'
    throw thrown
  }
}

interface Automaton {
  readonly sets: readonly CharacterSet[]
  readonly first: readonly number[]
  readonly follow: readonly (readonly number[])[]
  /** Whether some part matches the empty text in two ways, or is not a regular language at all. */
  readonly isAmbiguous: boolean
  /** Whether each round of some loop can match the empty text in two ways. */
  readonly multiplies: boolean
  readonly hasLoop: boolean
  readonly looks: readonly Automaton[]
}

interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly isNullable: boolean
}

const EMPTY: Part = { first: [], last: [], isNullable: true }
const ANYTHING: CharacterSet = { ranges: [[0, 0x10ffff]], isExact: false, has: () => true }

function toAutomaton(pattern: PatternNode): Automaton {
  const sets: CharacterSet[] = []
  const follow: number[][] = []
  const looks: Automaton[] = []
  let edges = 0
  let isAmbiguous = false
  let multiplies = false
  let hasLoop = false
  let rounds = 0

  function addPosition(set: CharacterSet): Part {
    const position = sets.push(set) - 1
    if (position >= MOST_POSITIONS) throw new RangeError('the pattern is too long to be judged')
    follow.push([])
    return { first: [position], last: [position], isNullable: false }
  }

  function connect(last: readonly number[], first: readonly number[]): void {
    edges += last.length * first.length
    if (edges > MOST_EDGES) throw new RangeError('the pattern is too long to be judged')
    for (const position of last) follow[position]?.push(...first)
  }

  function join(left: Part, right: Part): Part {
    connect(left.last, right.first)
    return {
      first: left.isNullable ? [...left.first, ...right.first] : left.first,
      last: right.isNullable ? [...left.last, ...right.last] : right.last,
      isNullable: left.isNullable && right.isNullable,
    }
  }

  function toRepeat({ content, least, most }: PatternNode & { readonly kind: 'repeat' }): Part {
    if (most === 0) return EMPTY
    const before = sets.length
    if (most > MANY) rounds += 1
    const one = read(content)
    if (most > MANY) rounds -= 1
    isAmbiguous ||= one.isNullable
    // (a?){30} chooses the rounds that match nothing; those beyond the least must match something.
    multiplies ||= one.isNullable && least > MANY
    // Without characters there is nothing to repeat, and nothing that ends the copies below.
    if (sets.length === before) return EMPTY
    if (most === 1) return { ...one, isNullable: one.isNullable || least === 0 }
    if ((sets.length - before) * most > MOST_COPIES) {
      hasLoop = true
      connect(one.last, one.first)
      return { ...one, isNullable: one.isNullable || least === 0 }
    }
    // x{1,3} is x(x(x)?)?, built from its end.
    let rest: Part = EMPTY
    for (let index = most; index > 1; index -= 1) {
      const joined = join(read(content), rest)
      rest = index > least ? { ...joined, isNullable: true } : joined
    }
    const whole = join(one, rest)
    return { ...whole, isNullable: whole.isNullable || least === 0 }
  }

  function read(node: PatternNode): Part {
    switch (node.kind) {
      case 'set':
        return addPosition(node.set)
      case 'sequence':
        return node.items.map(read).reduce(join, EMPTY)
      case 'choice': {
        const options = node.options.map(read)
        const empty = options.filter((option) => option.isNullable).length
        isAmbiguous ||= empty > 1
        multiplies ||= empty > 1 && rounds > 0
        return {
          first: options.flatMap((option) => option.first),
          last: options.flatMap((option) => option.last),
          isNullable: options.some((option) => option.isNullable),
        }
      }
      case 'repeat':
        return toRepeat(node)
      case 'edge':
        return EMPTY
      case 'look':
        isAmbiguous = true
        looks.push(toAutomaton(node.content))
        return EMPTY
      case 'same':
        isAmbiguous = true
        return { ...addPosition(ANYTHING), isNullable: true }
    }
  }

  const { first } = read(pattern)
  return { sets, first, follow, isAmbiguous, multiplies, hasLoop, looks }
}

function isDeterministic({ sets, first, follow, isAmbiguous }: Automaton): boolean {
  if (isAmbiguous) return false
  return [first, ...follow].every((positions) => findConflicts(positions, sets).length === 0)
}

/** Lists the pairs of next positions that one character leaves a choice between. */
function findConflicts(
  positions: readonly number[],
  sets: readonly CharacterSet[],
): readonly (readonly [number, number])[] {
  return positions.flatMap((one, index) =>
    positions
      .slice(index + 1)
      .filter((other) => one === other || canShare(sets, one, other))
      .map((other) => [one, other] as const),
  )
}

function canShare(sets: readonly CharacterSet[], one: number, other: number): boolean {
  return overlaps(sets[one] ?? ANYTHING, sets[other] ?? ANYTHING)
}

/** Without an anchor every place of the text is a beginning, each with a match of its own. */
function isBoundToStart(pattern: PatternNode, { sets, hasLoop }: Automaton): boolean {
  return beginsAtStart(pattern) || (!hasLoop && sets.length <= LONGEST_UNANCHORED)
}

/** Tells whether every match begins with the text. */
function beginsAtStart(node: PatternNode): boolean {
  if (node.kind === 'edge') return node.edge === '^'
  if (node.kind === 'choice') return node.options.every(beginsAtStart)
  return node.kind === 'sequence' && node.items[0] !== undefined && beginsAtStart(node.items[0])
}

/** Looks for a position that two different ways of reading the same text lead back to. */
function isExponential({ sets, follow, multiplies }: Automaton): boolean {
  if (multiplies) return true
  const size = sets.length
  let work = 0
  return follow.some((positions, home) => {
    const pending = findConflicts(positions, sets).map(([one, other]) => one * size + other)
    const seen = new Set(pending)
    for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
      const [one, other] = [Math.floor(pair / size), pair % size]
      if (one === home && other === home) return true
      for (const next of follow[one] ?? []) {
        for (const after of follow[other] ?? []) {
          work += 1
          if (work > MOST_PAIRS) throw new RangeError('the pattern is too long to be judged')
          const reached = next * size + after
          if (seen.has(reached) || !canShare(sets, next, after)) continue
          seen.add(reached)
          pending.push(reached)
        }
      }
    }
    return false
  })
}
