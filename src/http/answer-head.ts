import type { ServerResponse } from 'node:http'
import { unref } from '../values/index.ts'
import type { HttpResponse } from '../wire/index.ts'

/** Writes the head of an answer whose body has a known length; undefined where the length is not told. */
export type WriteHead = (
  outgoing: ServerResponse,
  response: HttpResponse,
  length: number | undefined,
) => void

/** Writes a head with what node:http offers to everybody. */
export const writePublicHead: WriteHead = (outgoing, { status, headers }, length) => {
  const flat = length === undefined ? [] : ['content-length', String(length)]
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') flat.push(name, value)
    else for (const item of value ?? []) flat.push(name, item)
  }
  outgoing.writeHead(status, flat)
}

/**
 * Creates a writer that uses the end of a head again which node:http wrote within the same second: date, connection and
 * keep-alive are the same for every answer on an open connection. Writing them anew takes about 4 % of a request.
 *
 * The text of a head is a private field of node:http, so this is done only where everything is as expected: node:http
 * itself gives the end, and whatever is unusual about an answer or a version of Node is left to `writePublicHead`.
 */
export function createHeadWriter(): WriteHead {
  let ending: Ending | undefined
  const names = createNames()
  const forget = () => {
    ending = undefined
  }

  return (given, response, length) => {
    const outgoing = given as PrivateResponse
    const start = isPlain(outgoing, response) ? toStart(response.headers, length, names) : undefined
    if (start !== undefined && ending !== undefined && isLike(outgoing, ending)) {
      outgoing.statusCode = 200
      outgoing._header = start + ending.text
      return
    }
    writePublicHead(outgoing, response, length)
    if (start === undefined || ending !== undefined) return
    ending = readEnding(outgoing, start)
    // The date changes with the second, as in node:http itself.
    if (ending !== undefined) unref(setTimeout(forget, 1_000 - (Date.now() % 1_000)))
  }
}

/** What node:http writes after the headers of an answer, and on which settings of its server that depends. */
interface Ending {
  readonly text: string
  readonly keepAliveTimeout: unknown
  readonly requestsPerSocket: unknown
}

/** The members of an answer that node:http keeps to itself. */
interface PrivateResponse extends ServerResponse {
  _header: unknown
  readonly _keepAliveTimeout?: unknown
  readonly _maxRequestsPerSocket?: unknown
  readonly _removedConnection?: unknown
  readonly maxRequestsOnConnectionReached?: unknown
}

/** Tells whether nothing but the given headers decides about the head; whoever stands around us may have said more. */
function isPlain(outgoing: PrivateResponse, { status }: HttpResponse): boolean {
  return (
    status === 200 &&
    outgoing._header === null &&
    outgoing.shouldKeepAlive &&
    outgoing.sendDate &&
    !outgoing._removedConnection &&
    !outgoing.maxRequestsOnConnectionReached &&
    outgoing.statusMessage === undefined &&
    outgoing.req.headers.expect === undefined &&
    outgoing.getHeaderNames().length === 0
  )
}

function isLike(outgoing: PrivateResponse, ending: Ending): boolean {
  return (
    outgoing._keepAliveTimeout === ending.keepAliveTimeout &&
    outgoing._maxRequestsPerSocket === ending.requestsPerSocket
  )
}

function readEnding(outgoing: PrivateResponse, start: string): Ending | undefined {
  const head = outgoing._header
  if (typeof head !== 'string' || !head.startsWith(start)) return undefined
  return {
    text: head.slice(start.length),
    keepAliveTimeout: outgoing._keepAliveTimeout,
    requestsPerSocket: outgoing._maxRequestsPerSocket,
  }
}

// What could end a header and begin another one must not reach the text unseen; node:http says what is wrong with it.
const NAME = /^[a-z0-9-]+$/
const VALUE = /^[\x20-\x7e]*$/

/** Names that decide about the end of a head. */
const DECIDING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

type IsOwnName = (name: string) => boolean

function toStart(
  headers: HttpResponse['headers'],
  length: number | undefined,
  isOwnName: IsOwnName,
): string | undefined {
  if (length === undefined) return undefined
  let start = `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n`
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== 'string' || !VALUE.test(value) || !isOwnName(name)) return undefined
    start += `${name}: ${value}\r\n`
  }
  return start
}

/** Names that are remembered as fine; those of answers are few, unless somebody makes them up. */
const MOST_NAMES = 100

function createNames(): IsOwnName {
  const known = new Set<string>()
  return (name) => {
    if (known.has(name)) return true
    if (!NAME.test(name) || DECIDING.has(name)) return false
    if (known.size < MOST_NAMES) known.add(name)
    return true
  }
}
