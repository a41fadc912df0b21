/** Parses JSON that was answered; integers beyond ±(2^53−1), which a number would round, become strings of their digits. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!MAY_BE_LARGE.test(text)) return value
  const quoted = quoteNumbers(text, isLargeNumber)
  return quoted === text ? value : JSON.parse(quoted)
}

/** Tells whether a number, as JSON spells it, is an integer beyond ±(2^53−1) or too large for any number. */
export function isLargeNumber(literal: string): boolean {
  const value = Number(literal)
  return isPlainInteger(literal) ? !Number.isSafeInteger(value) : !Number.isFinite(value)
}

/** Tells whether a number, as JSON spells it, is an integer that would change, or too large for any number. */
export function isLostNumber(literal: string): boolean {
  const value = Number(literal)
  if (!isPlainInteger(literal)) return !Number.isFinite(value)
  return !Number.isSafeInteger(value) && String(value) !== literal
}

/** Matches every text with a number that could be too large; also some others, which are then looked at closely. */
export const MAY_BE_LARGE: RegExp = /\d{16}|\d[eE]\+?\d{3}/

/** Puts quotes around those numbers of a JSON text that are chosen; digits inside strings stay as they are. */
export function quoteNumbers(text: string, isChosen: (literal: string) => boolean): string {
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  let quoted = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 34) at = endOfString(text, at)
    else if (code === 45 || (code >= 48 && code <= 57)) {
      number.lastIndex = at
      const literal = number.exec(text)?.[0] ?? '-'
      if (literal.length > 4 && isChosen(literal)) {
        quoted += `${text.slice(copied, at)}"${literal}"`
        copied = at + literal.length
      }
      at += literal.length
    } else at += 1
  }
  return quoted + text.slice(copied)
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes += 1
  return slashes % 2 === 1
}

function isPlainInteger(literal: string): boolean {
  return /^-?\d+$/.test(literal)
}
