import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto'
import { isSameSecret } from './same.ts'

/** A secret of Standard Webhooks, ready for use. */
export type WebhookKey =
  | { readonly kind: 'shared'; readonly bytes: Uint8Array }
  | { readonly kind: 'private' | 'public'; readonly key: KeyObject }

// What stands before the 32 bytes of an Ed25519 key in PKCS #8 and SPKI (RFC 8410).
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const KEY_BYTES = 32

/**
 * Reads a secret: `whsec_` and base64, or base64 alone, for HMAC; `whsk_` (32 bytes, or 64 with the public half) and
 * `whpk_` for Ed25519. A mistake throws, without the secret in its message.
 */
export function parseWebhookKey(text: string): WebhookKey {
  const [, prefix = '', encoded = ''] = /^(whsec_|whsk_|whpk_)?(.*)$/s.exec(text) ?? []
  const bytes = decodeBase64(encoded)
  if (prefix === 'whsk_') return { kind: 'private', key: toPrivateKey(bytes) }
  if (prefix === 'whpk_') return { kind: 'public', key: toPublicKey(bytes) }
  if (bytes === undefined) {
    throw new TypeError('a webhook secret is whsec_ and base64 of 24 to 64 random bytes')
  }
  return { kind: 'shared', bytes }
}

function decodeBase64(text: string): Buffer | undefined {
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 !== 1
  return isBase64 ? Buffer.from(text, 'base64') : undefined
}

function toPrivateKey(bytes: Buffer | undefined): KeyObject {
  if (bytes?.length !== KEY_BYTES && bytes?.length !== 2 * KEY_BYTES) {
    throw new TypeError('a private webhook key is whsk_ and base64 of 32 or 64 bytes')
  }
  const seed = bytes.subarray(0, KEY_BYTES)
  const der = Buffer.concat([PRIVATE_PREFIX, seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const half = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
  if (bytes.length === 2 * KEY_BYTES && !bytes.subarray(KEY_BYTES).equals(half)) {
    throw new TypeError('the two halves of a private webhook key (whsk_) do not belong together')
  }
  return key
}

function toPublicKey(bytes: Buffer | undefined): KeyObject {
  if (bytes?.length !== KEY_BYTES) {
    throw new TypeError('a public webhook key is whpk_ and base64 of 32 bytes')
  }
  const der = Buffer.concat([PUBLIC_PREFIX, bytes])
  return createPublicKey({ key: der, format: 'der', type: 'spki' })
}

/** A delivery to be signed, as the Standard Webhooks specification has it. */
export interface WebhookMessage {
  /** The same for every attempt to deliver it; no full stop in it. */
  readonly id: string
  /** When it is sent, in epoch milliseconds; the header counts whole seconds. */
  readonly sentAt: number
  readonly body: string | Uint8Array
}

/** The three headers of a signed delivery. */
export interface WebhookHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** A delivery that arrived. */
export interface WebhookDelivery {
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | null | undefined
  /** The bytes as they came: parsing and printing JSON again changes them. */
  readonly body: string | Uint8Array
  /** When it arrived, in epoch milliseconds. */
  readonly now: number
}

/** Why a delivery is not believed. */
export type WebhookRefusal =
  | 'headers_missing'
  | 'id_invalid'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_invalid'

/** What checking a delivery gives. */
export type WebhookVerdict =
  | { readonly ok: true; readonly id: string; readonly sentAt: number }
  | { readonly ok: false; readonly reason: WebhookRefusal }

/** How deliveries are checked. */
export interface WebhookVerifierOptions {
  /** How far the clocks of both sides may be apart, in milliseconds; five minutes when absent. */
  readonly toleranceMs?: number
}

const TOLERANCE_MS = 5 * 60_000
const MAX_HEADER_LENGTH = 4_096
const MAX_SIGNATURES = 16

/**
 * Makes a signer. Several secrets give several signatures, so that receivers who know the old or the new one both
 * believe; `whsec_` signs with HMAC-SHA256 (v1), `whsk_` with Ed25519 (v1a).
 */
export function createWebhookSigner(
  secrets: string | readonly string[],
): (message: WebhookMessage) => WebhookHeaders {
  const keys = parseKeys(secrets).map((key) => {
    if (key.kind !== 'public') return key
    throw new TypeError('a public webhook key (whpk_) cannot sign')
  })
  return ({ id, sentAt, body }) => {
    if (!isMessageId(id)) {
      throw new TypeError(
        'the id of a webhook is 1 to 255 printable characters without a full stop',
      )
    }
    const timestamp = String(Math.floor(sentAt / 1000))
    const content = toContent(id, timestamp, body)
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': keys.map((key) => signContent(key, content)).join(' '),
    }
  }
}

/**
 * Makes a check that never throws: a delivery is believed when one of its signatures fits one of the secrets
 * (`whsec_`, `whpk_`, or base64 without a prefix) and its time is near.
 */
export function createWebhookVerifier(
  secrets: string | readonly string[],
  { toleranceMs = TOLERANCE_MS }: WebhookVerifierOptions = {},
): (delivery: WebhookDelivery) => WebhookVerdict {
  const keys = parseKeys(secrets)
  return ({ header, body, now }) => {
    const id = header('webhook-id')
    const timestamp = header('webhook-timestamp')
    const signature = header('webhook-signature')
    if (!id || !timestamp || !signature) return refuse('headers_missing')
    if (!isMessageId(id)) return refuse('id_invalid')
    if (!/^(?:0|[1-9]\d{0,11})$/.test(timestamp)) return refuse('timestamp_invalid')
    const sentAt = Number(timestamp) * 1000
    const age = Math.floor(now / 1000) * 1000 - sentAt
    if (age > toleranceMs) return refuse('timestamp_too_old')
    if (-age > toleranceMs) return refuse('timestamp_too_new')
    const content = toContent(id, timestamp, body)
    const signatures = splitSignatures(signature)
    const fits = keys.some((key) => signatures.some((one) => isSignedBy(key, content, one)))
    return fits ? { ok: true, id, sentAt } : refuse('signature_invalid')
  }
}

function refuse(reason: WebhookRefusal): WebhookVerdict {
  return { ok: false, reason }
}

function parseKeys(secrets: string | readonly string[]): readonly WebhookKey[] {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(parseWebhookKey)
  if (keys.length === 0) throw new TypeError('at least one webhook secret is needed')
  return keys
}

// The full stop separates the signed parts: an id that held one could pass a part of the body off as its timestamp.
function isMessageId(id: string): boolean {
  return id.length <= 255 && /^[\x21-\x2d\x2f-\x7e]+$/.test(id)
}

function toContent(id: string, timestamp: string, body: string | Uint8Array): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes])
}

function signContent(key: WebhookKey, content: Buffer): string {
  if (key.kind === 'shared') return `v1,${toHmac(key.bytes, content)}`
  return `v1a,${signBytes(null, content, key.key).toString('base64')}`
}

function toHmac(key: Uint8Array, content: Buffer): string {
  return createHmac('sha256', key).update(content).digest('base64')
}

/** A header may hold many signatures, each of which costs a check: only so many are looked at. */
function splitSignatures(header: string): readonly string[] {
  return header.slice(0, MAX_HEADER_LENGTH).split(' ', MAX_SIGNATURES)
}

function isSignedBy(key: WebhookKey, content: Buffer, signature: string): boolean {
  if (key.kind === 'shared') {
    return isSameSecret(signature, `v1,${toHmac(key.bytes, content)}`)
  }
  const found = /^v1a,([A-Za-z0-9+/]{86}==)$/.exec(signature)?.[1]
  return found !== undefined && verifyBytes(null, content, key.key, Buffer.from(found, 'base64'))
}
