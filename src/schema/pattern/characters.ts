/** Code points from the first to the last, both included. */
export type Range = readonly [from: number, to: number]

/** What one character of a text may be. */
export interface CharacterSet {
  /** Sorted, disjoint; where `isExact` is false, a superset. */
  readonly ranges: readonly Range[]
  readonly isExact: boolean
  readonly has: (codePoint: number) => boolean
}

const LAST = 0x10ffff
const EVERYTHING: readonly Range[] = [[0, LAST]]
const WORDS = parseRanges('30-39 41-5a 5f 61-7a')
const LINE_ENDS = parseRanges('a d 2028-2029')
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: parseRanges('30-39'),
  w: WORDS,
  s: parseRanges('9-d 20 a0 1680 2000-200a 2028-2029 202f 205f 3000 feff'),
}

/** Reads ranges of hexadecimal code points. */
function parseRanges(text: string): readonly Range[] {
  return text.split(' ').map((range) => {
    const [from = 0, to = from] = range.split('-').map((end) => Number.parseInt(end, 16))
    return [from, to]
  })
}

/** Gives the set of a class escape by its letter: `d`, `D`, `w`, `W`, `s`, `S`. */
export function toClassEscape(letter: string): CharacterSet | undefined {
  const ranges = CLASSES[letter.toLowerCase()]
  if (ranges === undefined) return undefined
  return exact(letter === letter.toLowerCase() ? ranges : complement(ranges))
}

/** What a dot matches. */
export function anyCharacter(): CharacterSet {
  return exact(complement(LINE_ENDS))
}

/** Tells whether a character is one of those that `\b` stands between. */
export function isWordCharacter(codePoint: number): boolean {
  return WORDS.some(([from, to]) => codePoint >= from && codePoint <= to)
}

/** Makes the set of these characters and no others. */
export function exact(ranges: readonly Range[]): CharacterSet {
  return {
    ranges,
    isExact: true,
    has: (code) => ranges.some(([from, to]) => code >= from && code <= to),
  }
}

/**
 * Makes the set of a class with Unicode properties from its source: the engine of JavaScript, which has their tables,
 * is asked about one character at a time.
 */
export function fromSource(source: string): CharacterSet {
  const expression = new RegExp(`^${source}$`, 'u')
  return {
    ranges: EVERYTHING,
    isExact: false,
    has: (code) => expression.test(String.fromCodePoint(code)),
  }
}

/** Joins sets of which each is exact. */
export function joinSets(sets: readonly CharacterSet[], isNegated: boolean): CharacterSet {
  const ranges = union(sets.flatMap((set) => set.ranges))
  return exact(isNegated ? complement(ranges) : ranges)
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
