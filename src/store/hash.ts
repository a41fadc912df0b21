import { hash } from 'node:crypto'
import { isRecord } from '../values/index.ts'

/** Spreads text evenly over the numbers below `buckets`; the same in every process and every version (FNV-1a). */
export function toBucket(text: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0) % buckets
}

/** Writes a JSON value as text that is the same for equal values, whatever the order of their members. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  // What writes itself is not what its members say: a file has none.
  if (!isRecord(value) || 'toJSON' in value) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${toCanonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}

/** Gives the SHA-256 of a text as hexadecimal digits. */
export function toSha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Gives the name under which what belongs to a caller is kept; callers nobody knows share theirs. */
export function toOwner(principal: { readonly id: string } | undefined): string {
  return toSha256(JSON.stringify(principal?.id ?? null)).slice(0, 32)
}
