import { hash } from 'node:crypto'

/** Spreads text evenly over the numbers below `buckets`; the same in every process and every version (FNV-1a). */
export function toBucket(text: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0) % buckets
}

/** Gives the SHA-256 of a text as hexadecimal digits. */
export function toSha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Gives the name under which what belongs to a caller is kept; callers nobody knows share theirs. */
export function toOwner(principal: { readonly id: string } | undefined): string {
  return toSha256(JSON.stringify(principal?.id ?? null)).slice(0, 32)
}
