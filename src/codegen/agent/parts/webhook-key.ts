import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

/** Tells whether a signature of Standard Webhooks, with its version before it, fits a text. */
export type SignatureKey = (text: string, signature: string) => boolean

// What stands before the 32 bytes of an Ed25519 key in SPKI (RFC 8410).
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Reads a secret of Standard Webhooks: base64, with or without `whsec_`, or a public key after `whpk_`. Anything else
 * throws, without the secret: what is left of it would be a key that anybody could guess.
 */
export function parseKey(secret: string): SignatureKey {
  const [, prefix, encoded = ''] = /^(whsec_|whsk_|whpk_)?(.*)$/s.exec(secret) ?? []
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 !== 1
  const bytes = Buffer.from(isBase64 ? encoded : '', 'base64')
  if (prefix === 'whpk_' && bytes.length === 32) return publicKey(bytes)
  if (prefix === 'whpk_') throw new Error('a public key is whpk_ and base64 of 32 bytes')
  if (prefix === 'whsk_') throw new Error('a private key (whsk_) belongs to the sender')
  if (bytes.length === 0) throw new Error('a secret is whsec_ and base64 of 24 to 64 random bytes')
  return sharedKey(bytes)
}

function sharedKey(key: Buffer): SignatureKey {
  return (text, signature) => {
    const expected = Buffer.from(`v1,${createHmac('sha256', key).update(text).digest('base64')}`)
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}

function publicKey(bytes: Buffer): SignatureKey {
  const der = Buffer.concat([PUBLIC_PREFIX, bytes])
  const key: KeyObject = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return (text, signature) => {
    const found = /^v1a,([A-Za-z0-9+/]{86}==)$/.exec(signature)?.[1]
    return found !== undefined && verify(null, Buffer.from(text), key, Buffer.from(found, 'base64'))
  }
}
