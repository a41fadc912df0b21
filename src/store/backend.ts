import { CallError } from '../errors/index.ts'
import type { Json } from '../values/index.ts'
import type { OwnerDelete } from './store.ts'

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
  if (typeof text !== 'string' || text === '') refuseArgument(field, 'must be a non-empty string')
  assertStorable(field, text)
}

/** Refuses a prefix that no key could have; the empty prefix lists everything. */
export function assertPrefix(prefix: string): void {
  if (typeof prefix !== 'string') refuseArgument('prefix', 'must be a text')
  assertStorable('prefix', prefix)
}

/** Answers a time to live in whole milliseconds; it must be positive and at most ten years. */
export function requireTtl(ttl: number | null): number | null {
  if (ttl === null) return null
  if (typeof ttl !== 'number' || !(ttl > 0 && ttl <= MAX_TTL)) {
    refuseArgument('ttl', `must be null or a number of milliseconds above 0 and at most ${MAX_TTL}`)
  }
  return Math.ceil(ttl)
}

/** Refuses an amount that a counter cannot be advanced by. */
export function assertAmount(by: number): void {
  if (!Number.isSafeInteger(by)) refuseArgument('by', 'must be a whole number')
}

/** Refuses a revision that no entry can have. */
export function assertRevision(revision: number): void {
  if (!Number.isSafeInteger(revision))
    refuseArgument('revision', 'must be the revision of an entry')
}

/** Answers the page size that was asked for, or the default one. */
export function requireLimit(limit: number = DEFAULT_PAGE): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    refuseArgument('limit', `must be a whole number from 1 to ${MAX_PAGE}`)
  }
  return limit
}

/** Writes a value as JSON text within the size limit. */
export function toBackendText(value: Json): string {
  const text = stringify(value) ?? refuseArgument('value', 'must be a JSON value')
  if (text.length * 3 > MAX_VALUE_BYTES && Buffer.byteLength(text) > MAX_VALUE_BYTES) {
    refuseArgument(
      'value',
      `has ${Buffer.byteLength(text)} bytes as JSON; at most ${MAX_VALUE_BYTES} fit`,
    )
  }
  return text
}

/** Throws INVALID_ARGUMENTS about one argument of a store operation. */
export function refuseArgument(field: string, rule: string): never {
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
    refuseArgument(field, `has ${Buffer.byteLength(text)} bytes; at most ${MAX_KEY_BYTES} fit`)
  }
  // PostgreSQL text cannot hold NUL, and a lone surrogate would silently become another character.
  if (text.includes('\0')) refuseArgument(field, 'must not hold a NUL character')
  if (LONE_SURROGATE.test(text)) refuseArgument(field, 'must be valid Unicode')
}

const LONE_SURROGATE = /[\ud800-\udfff]/u

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
    refuseArgument('cursor', 'must be the cursor of an earlier page of the same listing')
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

/** An entry as a backend holds it: the value is JSON text. */
export interface Row {
  readonly key: string
  readonly text: string
  readonly revision: number
  readonly owner: string | null
  readonly ttl: number | null
}

/** What a backend writes. */
export interface Write {
  readonly key: string
  readonly text: string
  readonly ttl: number | null
  readonly owner: string | null
  /** May reach the disk with the next write. */
  readonly lazy?: boolean | undefined
}

/** What a backend replaces when the revision fits; `keep` leaves that part of the entry as it is. */
export interface Replace {
  readonly key: string
  readonly text: string
  readonly revision: number
  readonly ttl: number | null | 'keep'
  readonly owner: { readonly set: string | null } | 'keep'
}

/** What a backend advances. */
export interface Advance {
  readonly key: string
  readonly by: number
  readonly ttl: number | null
}

/** A conditional write: the new revision, or the row that was in the way. */
export type Attempt =
  | { readonly done: true; readonly revision: number }
  | { readonly done: false; readonly row: Row | undefined }

/** A counter after a backend advanced it. */
export interface Advanced {
  readonly value: number
  readonly revision: number
  readonly ttl: number | null
}

/** What a round of removing found: `many` means that another round is worth it at once. */
export type Swept = 'none' | 'some' | 'many'

/** What one database can do: arguments are checked already, failures may be any error. */
export interface Backend {
  readonly kind: string
  get(key: string): Promise<Row | undefined>
  put(write: Write): Promise<number>
  putIfAbsent(write: Write): Promise<Attempt>
  compareAndSet(replace: Replace): Promise<Attempt>
  delete(key: string): Promise<boolean>
  deleteIfOwner(key: string, owner: string): Promise<OwnerDelete>
  increment(advance: Advance): Promise<Advanced>
  next(name: string): Promise<number>
  /** The first rows of a range in byte order, at most `limit`. */
  range(range: KeyRange, limit: number): Promise<readonly Row[]>
  /** Removes at most `limit` expired entries for good. */
  sweep(limit: number): Promise<Swept>
  check(): Promise<void>
  readonly freeBytes?: () => Promise<number>
  /** Makes operations that wait for something fail now; the store is about to close. */
  abandon(): void
  /** Lets go of connections and files; no operation is under way any more. */
  close(): Promise<void>
}
