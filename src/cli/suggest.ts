/** Finds the known word that a mistyped one most likely means; undefined when none is close. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const scored = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((left, right) => left.distance - right.distance)
  const best = scored[0]
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : undefined
}

/** Writes the suggestion as the end of a sentence, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const match = suggest(word, known)
  return match === undefined ? '' : ` Did you mean "${match}"?`
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [row, character] of [...left].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...right].entries()) {
      const replace = (previous[column] ?? 0) + (character === other ? 0 : 1)
      current.push(Math.min(replace, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
