import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares a secret with the expected one. Digests have one length: neither length nor place of a difference shows in the time. */
export function isSameSecret(given: string | Uint8Array, expected: string | Uint8Array): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest()
}
