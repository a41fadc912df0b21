/** Finds the members nearest to a word, best first: edit distance at most 2, case ignored. */
export function nearest(
  word: string,
  members: Iterable<string>,
  options: { readonly distance?: number; readonly count?: number } = {},
): string[] {
  const { distance: limit = 2, count = 1 } = options
  const wanted = word.toLowerCase().slice(0, LONGEST)
  const near: { readonly member: string; readonly distance: number }[] = []
  let seen = 0
  for (const member of members) {
    if (seen++ === MOST) break
    const other = member.toLowerCase().slice(0, LONGEST)
    const distance = likeness(wanted, other, limit)
    if (distance <= limit && isTelling(distance, wanted, other)) near.push({ member, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance || (a.member < b.member ? -1 : 1))
    .slice(0, count)
    .map(({ member }) => member)
}

/** Words a did-you-mean sentence for a value outside a closed set, if a member is near. */
export function didYouMean(word: unknown, members: Iterable<string>): string | undefined {
  if (typeof word !== 'string') return undefined
  const [best] = nearest(word, members)
  return best === undefined ? undefined : `did you mean "${best}"?`
}

/** Words the end of a sentence about an unknown name: `; did you mean a or b?`, or nothing. */
export function formatNear(names: readonly string[]): string {
  if (names.length === 0) return ''
  const last = names.at(-1)
  const list = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
  return `; did you mean ${list}?`
}

/** Foreign words may be megabytes long; a misspelling is not. */
const LONGEST = 100
/** Whoever misspells on purpose must not make the service compare for long. */
const MOST = 5_000

/** Any two names of one or two letters are near each other, so there only one letter more or less counts, or case. */
function isTelling(distance: number, a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length)
  const longer = Math.max(a.length, b.length)
  return shorter > 2 ? distance < a.length : distance === 0 || (distance === 1 && longer === 3)
}

/** A piece of the word counts as near: "str" for "string", "hook" for "webhook". */
function likeness(a: string, b: string, limit: number): number {
  const isPiece = a.length >= 3 && b.length >= 3 && (b.includes(a) || a.includes(b))
  return Math.min(editDistance(a, b, limit), isPiece ? 2 : Number.POSITIVE_INFINITY)
}

/** Looks only at the band of the table in which a distance up to the limit can lie, and stops where it is left. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY
  const far = limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  let current = new Array<number>(b.length + 1).fill(far)
  for (let row = 1; row <= a.length; row++) {
    const first = Math.max(1, row - limit)
    const last = Math.min(b.length, row + limit)
    current[first - 1] = first === 1 ? row : far
    let least = current[first - 1] ?? far
    for (let column = first; column <= last; column++) {
      // What stands above the end of the band is of an older row, and outside the band it is far.
      const above = column === row + limit ? far : (previous[column] ?? far)
      const left = current[column - 1] ?? far
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      const distance = Math.min(above + 1, left + 1, (previous[column - 1] ?? far) + change)
      current[column] = distance
      least = Math.min(least, distance)
    }
    if (least > limit) return Number.POSITIVE_INFINITY
    ;[previous, current] = [current, previous]
  }
  return previous[b.length] ?? far
}
