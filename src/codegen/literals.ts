import type { Doc } from '../schema/index.ts'

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

const MAX_LINES = 40

/** Prints a doc comment as lines, or none when there is nothing to say. */
export function toDocLines(doc: Doc, indent = ''): string[] {
  const width = LINE_WIDTH - indent.length - 3
  const text = wrapText(doc.text ?? '', width)
  const tags = (doc.tags ?? []).map(({ name, text: said }) => {
    return `@${name}${said === undefined ? '' : ` ${escapeComment(said).replace(/\s+/g, ' ').trim()}`}`
  })
  const lines = [...text, ...tags]
  if (lines.length === 0) return []
  const [only] = lines
  if (lines.length === 1 && only !== undefined && only.length <= width - 4)
    return [`${indent}/** ${only} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}

function wrapText(text: string, width: number): string[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const lines = trimmed
    .split(/\r\n|[\n\r\u2028\u2029\u0085]/)
    .flatMap((line) => wrapLine(escapeComment(line).trimEnd(), width))
  const kept = lines.slice(0, MAX_LINES)
  if (lines.length > MAX_LINES) kept.push('…')
  return kept.map(disarm)
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const cut = space > width / 3 ? space : rest.indexOf(' ', width)
    if (cut === -1) break
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut + 1).trimStart()
  }
  return [...lines, rest]
}

/** Writes text so that it cannot end the comment it stands in. */
export function escapeComment(text: string): string {
  return revealHidden(text.replaceAll('\t', '  ')).replaceAll('*/', '*\\/')
}

// At the start of a line `@ts-expect-error` and its kin are orders to the compiler, and any other tag
// would be read as one of ours.
function disarm(line: string): string {
  if (!/^\s*[@/]/.test(line)) return line
  return line.replace(/^(\s*)@/, '$1\\@').replace(/^\/(?=$|\/|\*)/, '\\/')
}
