/** What stands in a sentence only because of when it was said: moments and ids made at random. */
const MOMENTARY =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\b[0-9A-HJKMNP-TV-Z]{26}\b/gi
/** Which name is nearest follows from the names there are, and those may become more. */
const SUGGESTION = /[;.]? ?did you mean [^?]*\?$/i
/** A list of what there is. */
const LIST = /^(.*?\b(?:one of|known:)) (.+)$/s
/** Says that a list goes on. */
const REST = /^\d+ more$/

/**
 * Tells whether a sentence still says what it said. Its words stay; moments and random ids only have to be there,
 * lists of what there is may grow, and a suggestion may come, go or change with them.
 */
export function saysTheSame(before: string, now: string): boolean {
  const [old, today] = [before, now].map(read)
  return (
    old !== undefined &&
    today !== undefined &&
    old.words === today.words &&
    old.listed.every((name) => today.listed.includes(name))
  )
}

function read(sentence: string): { readonly words: string; readonly listed: readonly string[] } {
  const plain = sentence.replace(SUGGESTION, '').replace(MOMENTARY, '…')
  const [, words = plain, list = ''] = LIST.exec(plain) ?? []
  const listed = list.split(/, (?:or )?| or /).filter((name) => name !== '' && !REST.test(name))
  return { words, listed }
}
