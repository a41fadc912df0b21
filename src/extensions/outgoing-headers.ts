/** What is wrong with which header; the message is the end of a sentence. */
export interface HeaderProblem {
  /** Undefined when there are too many of them. */
  readonly name: string | undefined
  readonly message: string
}

const MAX_HEADERS = 20
const MAX_VALUE_LENGTH = 1024
const TOKEN = /^[!#$%&'*+.^_`|~\w-]{1,128}$/
// A line break in a value would start a header, or a request, of the caller's own.
const PRINTABLE = /^[\x20-\x7e]*$/

/** What frames the request or carries its signature is ours to write. */
const OURS = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-forrst-signature',
])

/** Finds the first header that must not be sent. */
export function findHeaderProblem(
  headers: Readonly<Record<string, unknown>> = {},
): HeaderProblem | undefined {
  const entries = Object.entries(headers)
  if (entries.length > MAX_HEADERS) {
    return { name: undefined, message: `must hold at most ${MAX_HEADERS} headers` }
  }
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) return { name, message: 'must have names made of letters and dashes' }
    if (OURS.has(name.toLowerCase()) || name.toLowerCase().startsWith('proxy-')) {
      return { name, message: `must not set ${name.toLowerCase()}` }
    }
    if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH || !PRINTABLE.test(value)) {
      return { name, message: `must hold at most ${MAX_VALUE_LENGTH} printable characters each` }
    }
  }
  return undefined
}
