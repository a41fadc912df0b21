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

/** A request as it would be sent, with marks where the values of variables stand. */
export interface MarkedRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** What each mark stands for; marks are of small letters and digits. */
  readonly marks: ReadonlyMap<string, ShellVariable>
}

/** Longest body that is written behind a flag: systems limit the length of one argument. */
const LONGEST_ARGUMENT = 64 * 1024

/** Writes a request as a curl command for a POSIX shell; variables stand for what must not be seen. */
export function formatCurl(request: MarkedRequest): string {
  const { method, headers, body } = request
  const content = toContent(request)
  const lines = [
    // Without -g curl takes brackets in an address for a pattern.
    `curl -g${method === 'GET' ? '' : ` -X ${method}`} ${quoteWord(toAddress(request))}`,
    ...headers.map(([name, value]) => toHeader(name, value, request)),
    ...content.flags,
  ]
  const command = lines.join(' \\\n  ')
  return content.isPiped ? `${printBytes(body)} |\n${command}` : command
}

function toAddress({ url, marks }: MarkedRequest): ShellWord {
  const [path = '', ...query] = url.split('?')
  return [
    ...toWord(path, marks),
    // The runtime escapes a credential in the query; one in the base URL it takes as it is.
    ...toWord(query.length === 0 ? '' : `?${query.join('?')}`, marks).map(escapeVariable),
  ]
}

function toHeader(name: string, value: string, { marks }: MarkedRequest): string {
  const user = name === 'authorization' ? readUser(value, marks) : undefined
  if (user !== undefined) return `-u ${quoteWord(user)}`
  // curl leaves out a header without a value, unless it ends like this.
  if (value === '') return `-H ${quoteWord([`${name};`])}`
  const word = toWord(`${name}: ${value}`, marks)
  return `-H ${quoteHeader(name === 'cookie' ? word.map(escapeVariable) : word)}`
}

/** Headers are Latin-1 on the wire while a terminal writes UTF-8: such bytes are made by the shell. */
function quoteHeader(word: ShellWord): string {
  const pieces: ShellWord = word.flatMap<string | ShellVariable>((piece) =>
    typeof piece === 'string' ? piece.split(/([\x80-\xff]+)/) : [piece],
  )
  if (pieces.length === word.length) return quoteWord(word)
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) =>
      typeof piece === 'string' && /^[\x80-\xff]/.test(piece) ? toBytes(piece) : quoteWord([piece]),
    )
    .join('')
}

function toBytes(text: string): string {
  const octal = [...Buffer.from(text, 'latin1')].map((byte) => `\\${byte.toString(8)}`)
  return `"$(printf '${octal.join('')}')"`
}

function readUser(value: string, marks: MarkedRequest['marks']): ShellWord | undefined {
  const [, encoded] = /^Basic (.+)$/.exec(value) ?? []
  if (encoded === undefined) return undefined
  const word = toWord(Buffer.from(encoded, 'base64').toString(), marks)
  return word.some((piece) => typeof piece !== 'string') ? word : undefined
}

function toContent({ method, headers, body }: MarkedRequest): {
  readonly flags: readonly string[]
  readonly isPiped: boolean
} {
  const hasType = headers.some(([name]) => name === 'content-type')
  // curl calls every body a form unless it is told otherwise.
  const type = hasType ? [] : [`-H ${quoteWord(['content-type:'])}`]
  if (body.length === 0) {
    const says = hasType || ['POST', 'PUT', 'PATCH'].includes(method)
    return { flags: says ? [...type, `--data-raw ''`] : [], isPiped: false }
  }
  const text = decodeText(body)
  if (text === undefined || hasHidden(text) || body.length > LONGEST_ARGUMENT) {
    return { flags: [...type, '--data-binary @-'], isPiped: true }
  }
  return { flags: [...type, `--data-raw ${quoteWord([text])}`], isPiped: false }
}

function toWord(text: string, marks: MarkedRequest['marks']): ShellWord {
  if (marks.size === 0) return [text]
  return text
    .split(new RegExp(`(${[...marks.keys()].join('|')})`))
    .map((piece) => marks.get(piece) ?? piece)
    .filter((piece) => piece !== '')
}

function escapeVariable(piece: string | ShellVariable): string | ShellVariable {
  return typeof piece === 'string' ? piece : { ...piece, as: 'escaped' }
}
