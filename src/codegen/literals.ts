/*
 * The only way text of a document gets into generated code. Every character that could end a literal,
 * a line or a script block, or that a reader could not see, is written as an escape.
 */

/** Longest line the printer aims at. */
export const LINE_WIDTH = 100

const MAX_INDENT = 400

// Line separators end a line in some tools, bidirectional and invisible characters hide code from
// whoever reads it, and the rest of the controls have no business in a source file.
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff0-\uffff]/g

// Nearly every text is like this, so it is worth a look before the rest: nothing to escape at all.
const PLAIN_TEXT = /^[\x20-\x26\x28-\x3b\x3d-\x5b\x5d-\x7e]*$/

/** Prints a text as a string literal. */
export function toStringLiteral(text: string): string {
  if (PLAIN_TEXT.test(text)) return `'${text}'`
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replace(UNSAFE, toEscape)
    .replaceAll('</', '<\\/')
    .replaceAll('<!--', '<\\u0021--')
  return text.includes("'") ? `"${inner}"` : `'${inner.replaceAll('\\"', '"')}'`
}

/** Writes invisible characters as escapes, for text that is read rather than run. */
export function revealHidden(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text.replace(UNSAFE, toEscape).replace(/\p{Surrogate}/gu, toEscape)
}

/** Prints a name as the key of an object or interface: bare where that is safe, else quoted. */
export function toPropertyKey(name: string): string {
  return isPlainName(name) ? name : toStringLiteral(name)
}

/** Tells whether a name can stand in code as it is. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name)
}

/** Prints a JSON value as an expression, on one line when it fits after `used` columns. */
export function toLiteral(value: unknown, indent = '', used: number = indent.length): string {
  return printLiteral(value, indent, used)
}

function printLiteral(value: unknown, indent: string, used: number): string {
  if (typeof value === 'string') return toStringLiteral(value)
  if (typeof value === 'number') return Number.isFinite(value) ? printNumber(value) : 'null'
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'object' || value === null) return 'null'
  if (indent.length > MAX_INDENT) throw new RangeError('a value nests too deeply to be printed')
  const inner = `${indent}  `
  const items: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) items.push(printLiteral(item, inner, inner.length))
    return layOut(items, '[]', indent, used)
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    const name = toMemberName(key)
    items.push(`${name}: ${printLiteral(item, inner, inner.length + name.length + 2)}`)
  }
  return layOut(items, '{}', indent, used)
}

// A plain `__proto__:` would set the prototype of the literal instead of making a member.
function toMemberName(key: string): string {
  return key === '__proto__' ? "['__proto__']" : toPropertyKey(key)
}

function layOut(
  items: readonly string[],
  brackets: '[]' | '{}',
  indent: string,
  used: number,
): string {
  if (items.length === 0) return brackets
  const [open, close] = brackets === '[]' ? ['[', ']'] : ['{ ', ' }']
  let length = used + 4
  for (const item of items) length += item.length + 2
  if (length <= LINE_WIDTH && !items.some((item) => item.includes('\n'))) {
    return open + items.join(', ') + close
  }
  const between = `,\n${indent}  `
  return `${open.trim()}\n${indent}  ${items.join(between)},\n${indent}${close.trim()}`
}

function printNumber(value: number): string {
  return Object.is(value, -0) ? '0' : String(value)
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
