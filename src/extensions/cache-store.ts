import type { ReplyEntry } from '../core/call.ts'
import type { Json } from '../core/json.ts'
import { toText } from '../core/text.ts'
import { storeKey } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import { toSha256 } from './canonical.ts'

/** A result that is kept. */
export interface CachedResult {
  readonly result?: unknown
  readonly etag: string
  /** When the result last changed, in epoch milliseconds. */
  readonly modified: number
  readonly entries?: readonly ReplyEntry[]
  /** Generation of every tag when the function began. */
  readonly tags: Readonly<Record<string, string>>
}

/** What was found for a call. */
export interface CacheLookup {
  readonly cached?: CachedResult
  /** Milliseconds for which it stays fresh. */
  readonly freshMs: number
  /** The generations under which a new result is to be kept. */
  readonly tags: Readonly<Record<string, string>>
}

/** A generation must outlive every result that was kept under the one before. */
const GENERATION_TTL_MS = 24 * 3_600_000

/** The longest time a result may be kept. */
export const LONGEST_MAX_AGE_MS: number = GENERATION_TTL_MS / 2

/** Finds the result of a call, unless a write has made one of its tags invalid since. */
export async function lookUp(
  store: Store,
  key: string,
  tags: readonly string[],
): Promise<CacheLookup> {
  const [entry, ...generations] = await Promise.all([
    store.get(key),
    ...tags.map((tag) => store.get(toTagKey(tag))),
  ])
  const current = Object.fromEntries(
    tags.map((tag, index) => [tag, toText(generations[index]?.value ?? '')]),
  )
  const cached = entry && (entry.value as unknown as CachedResult)
  const valid = cached && tags.every((tag) => cached.tags[tag] === current[tag])
  return { ...(valid && { cached }), freshMs: entry?.ttl ?? 0, tags: current }
}

/** Keeps the result of a call. */
export async function keepResult(
  store: Store,
  key: string,
  cached: CachedResult,
  ttlMs: number,
): Promise<void> {
  await store.put(key, cached as unknown as Json, { ttl: ttlMs })
}

/** Makes every result that is kept under one of these tags invalid, in all processes. */
export async function invalidateTags(store: Store, tags: readonly string[]): Promise<void> {
  await Promise.all(
    tags.map((tag) => store.put(toTagKey(tag), crypto.randomUUID(), { ttl: GENERATION_TTL_MS })),
  )
}

function toTagKey(tag: string): string {
  return storeKey('cache-tag', toSha256(tag))
}
