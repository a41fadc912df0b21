import { CallError } from '../core/error.ts'
import type { Json } from '../core/json.ts'

/** The most bytes a key, an owner or a sequence name may have. */
export const MAX_KEY_BYTES = 1024

/** The most bytes a value may have as JSON text. */
export const MAX_VALUE_BYTES: number = 1024 * 1024

/** The longest time to live: ten years of 365 days. */
export const MAX_TTL: number = 10 * 365 * 24 * 3_600_000

const MAX_PAGE = 1000
const DEFAULT_PAGE = 100

/** Refuses text that some backend cannot hold: empty, too long, with NUL, or not valid Unicode. */
export function assertText(field: string, text: string): void {
  if (typeof text !== 'string' || text === '') refuse(field, 'must be a text that is not empty')
  assertStorable(field, text)
}

/** Refuses a prefix that no key could have; the empty prefix lists everything. */
export function assertPrefix(prefix: string): void {
  if (typeof prefix !== 'string') refuse('prefix', 'must be a text')
  assertStorable('prefix', prefix)
}

/** Answers a time to live in whole milliseconds; it must be positive and at most ten years. */
export function requireTtl(ttl: number | null): number | null {
  if (ttl === null) return null
  if (typeof ttl !== 'number' || !(ttl > 0 && ttl <= MAX_TTL)) {
    refuse('ttl', `must be null or a number of milliseconds above 0 and at most ${MAX_TTL}`)
  }
  return Math.ceil(ttl)
}

/** Refuses an amount that a counter cannot be advanced by. */
export function assertAmount(by: number): void {
  if (!Number.isSafeInteger(by)) refuse('by', 'must be a whole number')
}

/** Refuses a revision that no entry can have. */
export function assertRevision(revision: number): void {
  if (!Number.isSafeInteger(revision)) refuse('revision', 'must be the revision of an entry')
}

/** Answers the page size that was asked for, or the default one. */
export function requireLimit(limit: number = DEFAULT_PAGE): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    refuse('limit', `must be a whole number from 1 to ${MAX_PAGE}`)
  }
  return limit
}

/** Writes a value as JSON text within the size limit. */
export function toText(value: Json): string {
  const text = stringify(value) ?? refuse('value', 'must be a JSON value')
  if (text.length * 3 > MAX_VALUE_BYTES && Buffer.byteLength(text) > MAX_VALUE_BYTES) {
    refuse('value', `has ${Buffer.byteLength(text)} bytes as JSON; at most ${MAX_VALUE_BYTES} fit`)
  }
  return text
}

/** Throws INVALID_ARGUMENTS about one argument of a store operation. */
export function refuse(field: string, rule: string): never {
  throw new CallError('INVALID_ARGUMENTS', {
    message: `The store argument "${field}" ${rule}`,
    details: { field },
  })
}

/** Nothing for what JSON cannot hold: undefined, a function, a cycle, a nesting too deep. */
function stringify(value: Json): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function assertStorable(field: string, text: string): void {
  if (text.length * 3 > MAX_KEY_BYTES && Buffer.byteLength(text) > MAX_KEY_BYTES) {
    refuse(field, `has ${Buffer.byteLength(text)} bytes; at most ${MAX_KEY_BYTES} fit`)
  }
  // PostgreSQL text cannot hold NUL, and a lone surrogate would silently become another character.
  if (text.includes('\0')) refuse(field, 'must not hold a NUL character')
  if (LONE_SURROGATE.test(text)) refuse(field, 'must be valid Unicode')
}

const LONE_SURROGATE = /[\ud800-\udfff]/u
