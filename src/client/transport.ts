import { CallError } from '../errors/index.ts'
import type { Maybe } from '../values/index.ts'
import { isEventStream } from '../wire/index.ts'
import { clientError } from './errors.ts'

/** A request document on its way: JSON text and the headers that go with it. */
export interface TransportRequest {
  readonly body: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when nobody waits any more: by the caller, or because time is up. */
  readonly signal: AbortSignal
  /** True when the caller can read the answer while it comes; a transport that cannot hands over the whole. */
  readonly streams?: boolean
}

/** What came back: read to its end, or as a stream where the request allowed one. */
export interface TransportResponse {
  readonly status: number
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Empty when there are `chunks`. */
  readonly body: string
  /** An answer of type `text/event-stream` as it comes; leaving the iteration ends the connection. */
  readonly chunks?: AsyncIterable<string | Uint8Array>
}

/** Carries one request to a service; fails with a CallError that has a client-side code. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/** How many bytes of an answer are read when nobody says otherwise. */
export const DEFAULT_MAX_RESPONSE_BYTES = 10_485_760

/** Reads chunks of UTF-8 to their end, or fails as soon as they exceed the limit. */
export async function collectText(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const encoder = new TextEncoder()
  const parts: string[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    size += bytes.byteLength
    if (size > maxBytes) throw responseTooLarge(maxBytes)
    parts.push(decode(decoder, bytes))
  }
  parts.push(decode(decoder))
  return parts.join('')
}

/** Makes the error for an answer above the limit. */
export function responseTooLarge(maxBytes: number): Error {
  return clientError('CLIENT_RESPONSE_TOO_LARGE', {
    message: `The answer is larger than ${maxBytes} bytes; raise maxResponseBytes or ask for less`,
    details: { max_response_bytes: maxBytes },
  })
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
  } catch (cause) {
    throw clientError('CLIENT_INVALID_RESPONSE', {
      message: 'The answer is not valid UTF-8',
      cause,
    })
  }
}

/** Headers of every request, or a function that is asked before each attempt, such as one that renews a token. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Maybe<Readonly<Record<string, string>>>)

/** How to reach a service over HTTP. */
export interface FetchTransportOptions {
  /** The Forrst endpoint itself: `http://127.0.0.1:4000/forrst`. In a browser it may be relative to the page. */
  readonly url: string | URL
  readonly headers?: HeaderSource
  /** The platform's `fetch` when absent. */
  readonly fetch?: typeof fetch
  /** 10 MiB when absent; counted after decompression. */
  readonly maxResponseBytes?: number
}

/** Creates a transport over `fetch`; it never follows redirects, so credentials stay with the URL they were meant for. */
export function createFetchTransport(options: FetchTransportOptions): Transport {
  const { headers: source = {}, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options
  const url = parseEndpoint(options.url)

  return async ({ body, headers, signal, streams = false }) => {
    const merged = await mergeHeaders(source, headers)
    // Looked up late: tools that trace or fake requests replace the global one.
    const send = options.fetch ?? globalThis.fetch
    try {
      const response = await send(url, {
        method: 'POST',
        headers: merged,
        body,
        signal,
        redirect: 'manual',
      })
      return await readResponse(response, { url, maxBytes: maxResponseBytes, streams })
    } catch (thrown) {
      throw toTransportError(thrown, url)
    }
  }
}

/** Checks the URL of an endpoint; throws a TypeError that says what is wrong with it. */
export function parseEndpoint(input: string | URL): URL {
  const { location } = globalThis as { location?: { readonly href: string } }
  const text = String(input)
  if (!URL.canParse(text, location?.href)) {
    throw new TypeError(`url "${text}" is not a URL; give the endpoint, as in http://host/forrst`)
  }
  const url = new URL(text, location?.href)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`url must start with http:// or https://, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('url must not contain a user or password; use headers.authorization')
  }
  return url
}

async function mergeHeaders(
  source: HeaderSource,
  headers: Readonly<Record<string, string>>,
): Promise<Headers> {
  try {
    const merged = new Headers(headers)
    const own = typeof source === 'function' ? await source() : source
    for (const [name, value] of Object.entries(own)) merged.set(name, value)
    return merged
  } catch (cause) {
    throw clientError('CLIENT_INVALID_REQUEST', {
      message: `The headers could not be created: ${cause instanceof Error ? cause.message : 'unknown reason'}`,
      cause,
    })
  }
}

async function readResponse(
  response: Response,
  { url, maxBytes, streams }: { url: URL; maxBytes: number; streams: boolean },
): Promise<TransportResponse> {
  if (response.type === 'opaqueredirect' || isRedirect(response.status)) {
    await response.body?.cancel()
    throw redirected(response, url)
  }
  const header = (name: string) => response.headers.get(name) ?? undefined
  if (streams && response.body !== null && isEventStream(header('content-type'))) {
    const chunks = readStream(response.body, url)
    return { status: response.status, header, body: '', chunks }
  }
  if (Number(response.headers.get('content-length')) > maxBytes) {
    await response.body?.cancel()
    throw responseTooLarge(maxBytes)
  }
  return {
    status: response.status,
    header,
    body: response.body === null ? '' : await collectText(readChunks(response.body), maxBytes),
  }
}

async function* readStream(
  stream: ReadableStream<Uint8Array>,
  url: URL,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readChunks(stream)
  } catch (thrown) {
    throw toTransportError(thrown, url)
  }
}

// Safari cannot iterate over a stream.
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let finished = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      finished = done
      if (done) return
      yield value
    }
  } finally {
    if (!finished) await reader.cancel().catch(() => {})
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}

function redirected(response: Response, url: URL): Error {
  const location = response.headers.get('location')
  const target = location === null ? '' : ` to ${location.slice(0, 200)}`
  // The page of a service stands at its root; its endpoint does not.
  const advice =
    url.pathname === '/'
      ? `a Waymark service answers at ${printUrl(new URL('/forrst', url))}`
      : 'use the final URL'
  return clientError('CLIENT_REDIRECTED', {
    message: `${printUrl(url)} redirects${target}; redirects are not followed, ${advice}`,
    details: { http_status: response.status, ...(location !== null && { location }) },
  })
}

// With these the connection was never established, so no handler can have run. Names of Node, then of Bun.
const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|.*_CERT|.*_CERT_.*|ConnectionRefused|bad port)$/

function toTransportError(thrown: unknown, url: URL): unknown {
  if (thrown instanceof CallError) return thrown
  const reason = findReason(thrown)
  const unreachable = NEVER_CONNECTED.test(reason)
  return clientError(unreachable ? 'CLIENT_UNREACHABLE' : 'CLIENT_CONNECTION_LOST', {
    message: unreachable
      ? `No connection to ${printUrl(url)} (${reason})`
      : `The connection to ${printUrl(url)} broke before the answer was complete${reason && ` (${reason})`}`,
    cause: thrown,
  })
}

function findReason(thrown: unknown): string {
  for (const error of [thrown, (thrown as { cause?: unknown } | undefined)?.cause]) {
    const code = (error as { code?: unknown } | undefined)?.code
    if (typeof code === 'string') return code
    // `fetch` never connects to ports of other protocols, such as 6000 or 6667.
    if (error instanceof Error && error.message === 'bad port') return error.message
  }
  return ''
}

// A query may hold a key, which has no place in messages and logs.
function printUrl(url: URL): string {
  return `${url.origin}${url.pathname}`
}
