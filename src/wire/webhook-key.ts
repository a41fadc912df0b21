import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

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
