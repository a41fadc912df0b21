import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { CallError } from '../../errors/index.ts'
import {
  addressKind,
  createWebhookSigner,
  isReachable,
  parseWebhookKey,
  type WebhookMessage,
} from '../../net/index.ts'
import { toText } from '../../values/index.ts'

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

/** How a delivery is signed: with the headers of Standard Webhooks (HMAC or Ed25519), or as Forrst callbacks are. */
export type OutgoingSignature = 'standard' | 'standard-ed25519' | 'forrst'

/** The signers that the given secrets allow; each gives the headers that sign a message. */
export type OutgoingSigners = Readonly<
  Partial<Record<OutgoingSignature, (message: WebhookMessage) => Readonly<Record<string, string>>>>
>

/** Makes the signers; a secret that says it is for Standard Webhooks and is not throws a TypeError. */
export function createOutgoingSigners(secret: string | readonly string[] = []): OutgoingSigners {
  const secrets = [secret].flat()
  if (secrets.includes('')) throw new TypeError('outgoing: secret must not be empty')
  const keys = secrets.filter((text) => text.startsWith('whsk_'))
  const texts = secrets.filter((text) => !text.startsWith('whsk_'))
  const shared = texts.filter(isShared)
  const [newest] = texts
  return {
    ...(shared.length > 0 && { standard: toSigner(shared) }),
    ...(keys.length > 0 && { 'standard-ed25519': toSigner(keys) }),
    ...(newest !== undefined && { forrst: ({ body }) => signForrst(newest, body) }),
  }
}

function toSigner(secrets: readonly string[]): NonNullable<OutgoingSigners['standard']> {
  const sign = createWebhookSigner(secrets)
  return (message) => ({ ...sign(message) })
}

const MIN_BYTES = 24
const MAX_BYTES = 64

/** Any text signs Forrst callbacks, so one without the prefix may be no Standard Webhooks secret at all. */
function isShared(text: string): boolean {
  try {
    const key = parseWebhookKey(text)
    if (key.kind !== 'shared') throw new TypeError('outgoing: a public key (whpk_) cannot sign')
    const fits = key.bytes.length >= MIN_BYTES && key.bytes.length <= MAX_BYTES
    if (!fits && text.startsWith('whsec_')) {
      throw new TypeError(`outgoing: whsec_ takes base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`)
    }
    return fits
  } catch (thrown) {
    if (/^wh(?:sec|pk)_/.test(text)) throw thrown
    return false
  }
}

/** The page knows one signature and no prefix: the secret's text is the key, and the first of several signs. */
function signForrst(secret: string, body: string | Uint8Array): Readonly<Record<string, string>> {
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  return { 'x-forrst-signature': `sha256=${digest}` }
}

/** Which addresses callbacks may go to. */
export interface UrlRules {
  readonly allowHosts?: readonly string[]
  readonly allowLoopback?: boolean
}

const MAX_URL_LENGTH = 2048

/**
 * Says what is wrong with a callback address, as the end of a sentence; undefined when nothing is. What a name
 * resolves to is judged when the callback is sent: it may have changed by then.
 */
export function findUrlProblem(url: string, rules: UrlRules): string | undefined {
  if (url.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(url)) return 'must be an absolute https URL'
  const { protocol, hostname, username, password } = new URL(url)
  const loopback = isLoopback(hostname)
  const plain = protocol === 'http:' && loopback && rules.allowLoopback === true
  if (protocol !== 'https:' && !plain) return 'must be an absolute https URL'
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (!isPublic(hostname, loopback, rules)) return 'must lead to a public address'
  if (!isListed(hostname, rules.allowHosts)) return 'leads to a host that is not on the allowlist'
  return undefined
}

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || kindOf(name) === 'loopback'
}

function isPublic(hostname: string, loopback: boolean, rules: UrlRules): boolean {
  if (loopback) return rules.allowLoopback === true
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 || isReachable(address)
}

function kindOf(hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? undefined : addressKind(address)
}

function isListed(hostname: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true
  const name = hostname.replace(/\.$/, '')
  return allowed.some((entry) =>
    entry.startsWith('*.')
      ? name.endsWith(entry.slice(1).toLowerCase())
      : name === entry.toLowerCase(),
  )
}

/** What an attempt came to: done, never to be repeated, or to be repeated, perhaps not too soon. */
export type RequestOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'final'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly notBeforeMs?: number }

const GONE = 410
const SLOW_DOWN: readonly number[] = [429, 503]
/** A receiver cannot put us off for longer than this. */
const MAX_WAIT_MS = 24 * 3_600_000

/** Judges a status: 2xx is delivered, 410 wants no more, 429 and 503 may say when to come back. */
export function judgeResponse(
  status: number,
  retryAfter: string | undefined,
  now: number,
): RequestOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const reason = `status ${status}`
  if (status === GONE) return { kind: 'final', reason }
  const notBeforeMs = SLOW_DOWN.includes(status) ? readWait(retryAfter, now) : undefined
  return { kind: 'failed', reason, ...(notBeforeMs !== undefined && { notBeforeMs }) }
}

/** What another attempt cannot change: the address is not public, or not https. */
const FINAL = new Set(['address_refused', 'https_required', 'url_invalid'])

/** Judges why there was no answer. */
export function judgeFailure(thrown: unknown): RequestOutcome {
  const details = thrown instanceof CallError ? thrown.errors[0].details : undefined
  const reason = toText(details?.['reason'] ?? 'unreachable')
  const status = details?.['status']
  // The body is not wanted; what counts is said before it.
  if (reason === 'body_too_large' && typeof status === 'number') {
    return judgeResponse(status, undefined, 0)
  }
  return { kind: FINAL.has(reason) ? 'final' : 'failed', reason }
}

function readWait(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const milliseconds = /^\d{1,10}$/.test(value.trim())
    ? Number(value) * 1000
    : Date.parse(value) - now
  return Number.isNaN(milliseconds) ? undefined : Math.min(MAX_WAIT_MS, Math.max(0, milliseconds))
}
