import {
  decodeText,
  hasHidden,
  printBytes,
  quoteWord,
  type ShellVariable,
  type ShellWord,
} from './shell-text.ts'

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
