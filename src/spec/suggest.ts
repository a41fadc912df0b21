/** Finds the members nearest to a word, best first: edit distance at most 2, case ignored. */
export function nearest(
  word: string,
  members: Iterable<string>,
  options: { readonly distance?: number; readonly count?: number } = {},
): string[] {
  const { distance = 2, count = 1 } = options
  const wanted = word.toLowerCase().slice(0, LONGEST)
  return Array.from(members, (member) => ({
    member,
    distance: likeness(wanted, member.toLowerCase().slice(0, LONGEST)),
  }))
    .filter((entry) => entry.distance <= distance && entry.distance < Math.max(2, wanted.length))
    .sort((a, b) => a.distance - b.distance || (a.member < b.member ? -1 : 1))
    .slice(0, count)
    .map((entry) => entry.member)
}

/** Words a did-you-mean sentence for a value outside a closed set, if a member is near. */
export function didYouMean(word: unknown, members: Iterable<string>): string | undefined {
  if (typeof word !== 'string') return undefined
  const [best] = nearest(word, members)
  return best === undefined ? undefined : `did you mean "${best}"?`
}

/** Foreign words may be megabytes long; a misspelling is not. */
const LONGEST = 80

/** A piece of the word counts as near: "str" for "string", "hook" for "webhook". */
function likeness(a: string, b: string): number {
  const isPiece = a.length >= 3 && b.length >= 3 && (b.includes(a) || a.includes(b))
  return Math.min(editDistance(a, b), isPiece ? 2 : Number.POSITIVE_INFINITY)
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 12) return Number.POSITIVE_INFINITY
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + change,
      )
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
