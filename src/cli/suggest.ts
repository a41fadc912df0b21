import { nearest } from '../core/suggest.ts'

/** Writes what a mistyped word most likely means as the end of a sentence, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [match] = nearest(word, known)
  return match === undefined ? '' : ` Did you mean "${match}"?`
}
