import { MAX_KEY_BYTES, refuse } from './limits.ts'

const MAX_CURSOR = Math.ceil((MAX_KEY_BYTES * 4) / 3)

/** A stretch of keys in byte order: from `start` on, after `after` if given, before `end` if given. */
export interface KeyRange {
  readonly start: string
  readonly after?: string
  readonly end?: string
}

/** Finds the stretch of keys that a prefix covers, from where a cursor left off. */
export function toRange(prefix: string, cursor: string | undefined): KeyRange {
  const end = successor(prefix)
  return {
    start: prefix,
    ...(cursor !== undefined && { after: fromCursor(cursor, prefix) }),
    ...(end !== undefined && { end }),
  }
}

/** Writes the last key of a page as text that callers only hand back. */
export function toCursor(key: string): string {
  return Buffer.from(key).toString('base64url')
}

/** Compares keys as their UTF-8 bytes compare, which JavaScript's own order does not do beyond the basic plane. */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at)
    const b = right.charCodeAt(at)
    if (a !== b) return byteRank(a) - byteRank(b)
  }
  return left.length - right.length
}

// Surrogates stand for code points above U+FFFF, so they come after U+E000 to U+FFFF.
function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function fromCursor(cursor: string, prefix: string): string {
  const short = typeof cursor === 'string' && cursor.length <= MAX_CURSOR
  const key = short ? Buffer.from(cursor, 'base64url').toString() : ''
  // A cursor may come from outside: it must not move the listing out of its prefix.
  if (key === '' || !key.startsWith(prefix) || toCursor(key) !== cursor || key.includes('\0')) {
    refuse('cursor', 'must be the cursor of an earlier page of the same listing')
  }
  return key
}

/** The smallest text that comes after everything starting with the prefix; none when there is no such text. */
function successor(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.length > 0) {
    const last = points.pop() ?? 0
    if (last < 0x10ffff) {
      const next = last === 0xd7ff ? 0xe000 : last + 1
      return String.fromCodePoint(...points, next)
    }
  }
  return undefined
}
