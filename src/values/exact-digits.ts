// Nobody outside can know it, so that no string of a caller is taken for a number.
let mark: string | undefined

/** Marks digits so that `writeMarked` writes them as a bare number, whoever makes JSON of them in between. */
export function markDigits(digits: string): string {
  mark ??= `digits-${globalThis.crypto.randomUUID()}:`
  return mark + digits
}

/** Gives a text without the marks, where it is not written as JSON. */
export function withoutMark(text: string): string {
  return mark === undefined ? text : text.replaceAll(mark, '')
}

/** Turns marked strings of a JSON text into bare numbers, digit by digit. */
export function writeMarked(json: string): string {
  if (mark === undefined || !json.includes(mark)) return json
  return json.replaceAll(new RegExp(`"${mark}(-?[0-9]+)"`, 'g'), '$1')
}
