/** A word of a shell command: text that means itself, and variables that the shell fills in. */
export type ShellWord = readonly (string | ShellVariable)[]

/** A variable in a word. */
export interface ShellVariable {
  readonly name: string
  /** How its value is put in: as it is, escaped for a URL, or without the slash at its end. */
  readonly as: 'value' | 'escaped' | 'base'
}

/** Writes a word so that a POSIX shell reads exactly it, whatever it holds. */
export function quoteWord(word: ShellWord): string {
  const literals = word.filter((piece) => typeof piece === 'string')
  const isCalm = literals.every((text) => /^[\w ./:=;,?&%+~*-]*$/.test(text))
  if (literals.length < word.length && isCalm) return `"${word.map(toQuoted).join('')}"`
  return word.map(quotePiece).join('') || "''"
}

/** Writes bytes as the output of a command, for a pipe: a shell cannot hold all of them in a word. */
export function printBytes(bytes: Uint8Array): string {
  const text = decodeText(bytes)
  if (text === undefined) {
    return `printf %s ${quoteText(Buffer.from(bytes).toString('base64'))} | base64 -d`
  }
  if (!hasHidden(text)) return `printf %s ${quoteText(text)}`
  const escaped = text.replaceAll('\\', '\\\\').replace(new RegExp(HIDDEN, 'gu'), toOctal)
  return `printf %b ${quoteText(escaped)}`
}

/** Reads bytes as text; undefined when they are none. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** What a terminal does not show as it is, or a word cannot hold; lines and tabs are fine. */
const HIDDEN = /[\p{Zl}\p{Zp}]|(?![\n\t])\p{C}/u.source

/** Tells whether a text holds characters that would not survive being shown and copied. */
export function hasHidden(text: string): boolean {
  return new RegExp(HIDDEN, 'u').test(text)
}

function toOctal(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`)
    .join('')
}

function quotePiece(piece: string | ShellVariable): string {
  return typeof piece === 'string' ? quoteText(piece) : `"${toQuoted(piece)}"`
}

/** Single quotes take everything literally; the quote itself stands outside them. */
function quoteText(text: string): string {
  return /^[\w./:=@%+,-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function toQuoted(piece: string | ShellVariable, index = 0, word: ShellWord = []): string {
  if (typeof piece === 'string') return piece
  const { name, as } = piece
  if (as === 'base') return `\${${name}%/}`
  if (as === 'value') {
    const next = word[index + 1]
    return typeof next === 'string' && /^\w/.test(next) ? `\${${name}}` : `$${name}`
  }
  return `$(node -p 'encodeURIComponent(process.argv[1])' -- "$${name}")`
}
