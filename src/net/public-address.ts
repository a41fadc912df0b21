import { lookup as systemLookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { CallError } from '../errors/index.ts'
import { openScope, toReason, untilAborted } from '../values/index.ts'
import { addressKind } from './address-range.ts'

/** One address a name resolves to. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Where requests may go and how much an answer may cost. */
export interface PublicFetchOptions {
  /** Allows 127.0.0.0/8 and ::1, for local development. */
  readonly allowLoopback?: boolean
  /** Allows private networks as well; link-local and metadata addresses stay refused. */
  readonly allowPrivate?: boolean
  /** Refuses `http:` except to loopback addresses that `allowLoopback` permits. */
  readonly requireHttps?: boolean
  /** Longest body after decompression, in bytes. */
  readonly maxBytes: number
  /** Time for everything together: name lookup, connection, redirects and body. */
  readonly timeoutMs: number
  readonly redirects: 'refuse' | { readonly follow: number }
  /** Resolves names; the system's resolver by default. */
  readonly lookup?: (hostname: string) => Promise<readonly ResolvedAddress[]>
}

/** What is sent; GET without a body by default. */
export interface PublicRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
}

/** An answer that was read completely. */
export interface PublicResponse {
  readonly status: number
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly body: Uint8Array
  /** The address that answered, after redirects. */
  readonly url: string
}

/** Sends one request to a public address; throws a CallError whose `details.reason` says why not. */
export type PublicFetch = (url: string, request?: PublicRequest) => Promise<PublicResponse>

/** Makes a fetch that cannot be talked into reaching internal addresses. */
export function createPublicFetch(options: PublicFetchOptions): PublicFetch {
  const limit = options.redirects === 'refuse' ? 0 : options.redirects.follow

  return async function fetchPublic(url, request = {}) {
    const { signal, close } = openScope([request.signal], { afterMs: options.timeoutMs })
    try {
      return await followRedirects(parseTarget(url), { ...request, signal }, options, limit)
    } catch (thrown) {
      if (request.signal?.aborted === true) throw cancelled(thrown)
      throw toCallError(thrown, { url, timedOut: signal.aborted, ms: options.timeoutMs })
    } finally {
      close()
    }
  }
}

/** Tells whether an address may be reached under the given permissions. */
export function isReachable(
  address: string,
  allow: Pick<PublicFetchOptions, 'allowLoopback' | 'allowPrivate'> = {},
): boolean {
  const kind = addressKind(address)
  if (kind === 'loopback') return allow.allowLoopback === true
  if (kind === 'private') return allow.allowPrivate === true
  return kind === 'public'
}

type Sending = PublicRequest & { readonly signal: AbortSignal }

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

async function followRedirects(
  start: URL,
  first: Sending,
  options: PublicFetchOptions,
  limit: number,
): Promise<PublicResponse> {
  let target = start
  let request = first
  for (let hop = 0; ; hop += 1) {
    const addresses = await resolveTarget(target, options, request.signal)
    const response = await send(target, request, addresses, options.maxBytes)
    if (!REDIRECTS.includes(response.status)) return response
    const next = requireRedirect(target, response, hop < limit)
    request = toRedirected(request, response.status, next.origin === target.origin)
    target = next
  }
}

function requireRedirect(from: URL, response: PublicResponse, allowed: boolean): URL {
  const location = response.header('location')
  if (!allowed || location === undefined || !URL.canParse(location, from.href)) {
    throw refusal(
      'redirect_refused',
      `${from.href} answered with a redirect, which is not followed`,
      {
        status: response.status,
        ...(location !== undefined && { location }),
      },
    )
  }
  const next = parseTarget(new URL(location, from).href)
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw refusal('redirect_refused', `${from.href} redirects from https to http`, { location })
  }
  return next
}

// As browsers do it; credentials stay with the origin they were meant for.
function toRedirected(request: Sending, status: number, sameOrigin: boolean): Sending {
  const { body, method = 'GET', headers = {}, signal } = request
  const kept = Object.entries(headers).filter(
    ([name]) => sameOrigin || !CREDENTIALS.includes(name.toLowerCase()),
  )
  const becomesGet = status === 303 || (status < 303 && method === 'POST')
  if (becomesGet) return { method: 'GET', headers: Object.fromEntries(kept), signal }
  return { method, headers: Object.fromEntries(kept), signal, ...(body !== undefined && { body }) }
}

const CREDENTIALS: readonly string[] = [
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
]

function parseTarget(url: string): URL {
  if (!URL.canParse(url)) throw refusal('url_invalid', `${url} is not an absolute URL`)
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw refusal('url_invalid', `${url} is neither http nor https`)
  }
  if (target.username !== '' || target.password !== '') {
    throw refusal('url_invalid', 'A URL with a user name or password in it is refused')
  }
  return target
}

// Every address of a name is checked, and the connection is pinned to exactly these: a name that
// answers differently the second time (DNS rebinding) changes nothing.
async function resolveTarget(
  target: URL,
  options: PublicFetchOptions,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolveHost(target, options, signal)
  for (const { address } of addresses) {
    if (isReachable(address, options)) continue
    throw new CallError('ADDRESS_REFUSED', {
      message: `${target.host} is not a public address`,
      reason: `it leads to ${address} (${addressKind(address)})`,
      details: { reason: 'address_refused', host: target.host },
    })
  }
  const insecure = options.requireHttps === true && target.protocol === 'http:'
  if (insecure && addresses.some(({ address }) => addressKind(address) !== 'loopback')) {
    throw refusal('https_required', `${target.href} is not https`)
  }
  return addresses
}

async function resolveHost(
  target: URL,
  options: PublicFetchOptions,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const lookup = options.lookup ?? ((name: string) => systemLookup(name, { all: true }))
  const addresses = await untilAborted(lookup(host), signal)
  if (addresses.length > 0) return addresses
  throw refusal('host_unknown', `${host} has no address`, { host })
}

function send(
  target: URL,
  request: Sending,
  addresses: readonly ResolvedAddress[],
  maxBytes: number,
): Promise<PublicResponse> {
  const { method = 'GET', headers = {}, body, signal } = request
  const start = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = start(target, {
      method,
      headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
      lookup: pinTo(addresses),
      agent: false,
      signal,
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      readBody(incoming, target, maxBytes).then(
        (bytes) => resolve(toResponse(incoming, bytes, target)),
        (thrown: unknown) => {
          outgoing.destroy()
          reject(thrown)
        },
      )
    })
    outgoing.end(body)
  })
}

function pinTo(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, wanted, callback) => {
    const [first] = addresses
    if (wanted.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

async function readBody(
  incoming: IncomingMessage,
  target: URL,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The limit counts bytes after decompression, so a small archive of zeros cannot fill the memory.
  for await (const chunk of decoded(incoming, target)) {
    size += chunk.byteLength
    if (size > maxBytes) {
      throw failure('body_too_large', `${target.href} sent more than ${maxBytes} bytes`, {
        maxBytes,
        status: incoming.statusCode ?? 0,
      })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

function decoded(incoming: IncomingMessage, target: URL): AsyncIterable<Uint8Array> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return incoming
  if (!Object.hasOwn(DECODERS, encoding)) {
    throw failure('encoding_unknown', `${target.href} answered with encoding ${encoding}`)
  }
  const decoder = DECODERS[encoding as keyof typeof DECODERS]()
  incoming.on('error', (error) => decoder.destroy(error))
  return incoming.pipe(decoder)
}

function toResponse(incoming: IncomingMessage, body: Uint8Array, target: URL): PublicResponse {
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body,
    url: target.href,
  }
}

type Facts = Readonly<Record<string, string | number>>

// The caller chose a forbidden address: an application code counts as the caller's mistake.
function refusal(reason: string, message: string, facts: Facts = {}): CallError {
  return new CallError('ADDRESS_REFUSED', { message, details: { reason, ...facts } })
}

function failure(reason: string, message: string, facts: Facts = {}): CallError {
  return new CallError('DEPENDENCY_ERROR', { message, details: { reason, ...facts } })
}

function cancelled(cause: unknown): CallError {
  return new CallError('CANCELLED', { details: { reason: 'cancelled' }, cause })
}

function toCallError(
  thrown: unknown,
  at: { readonly url: string; readonly timedOut: boolean; readonly ms: number },
): CallError {
  if (thrown instanceof CallError) return thrown
  if (at.timedOut) {
    return new CallError('DEADLINE_EXCEEDED', {
      message: `${at.url} did not answer within ${at.ms} ms`,
      details: { reason: 'timeout', url: at.url },
      cause: thrown,
    })
  }
  return new CallError('DEPENDENCY_ERROR', {
    message: `${at.url} could not be reached`,
    reason: toReason(thrown),
    details: { reason: 'unreachable', url: at.url },
    cause: thrown,
  })
}
