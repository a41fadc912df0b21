import {
  type Call,
  type ExtensionCall,
  invalidOption,
  type OptionSource,
  type ReplyEntry,
  readText,
} from '../../core/index.ts'
import { type Store, storeKey, toSha256 } from '../../store/index.ts'
import {
  canonicalUrn,
  extensionUrn,
  type Json,
  type JsonObject,
  toCanonicalJson,
  toText,
} from '../../values/index.ts'

/** Extensions that do not change what a function answers; every other one is part of what a result depends on. */
const NEUTRAL: ReadonlySet<string> = new Set(
  [
    'tracing',
    'locale',
    'retry',
    'deprecation',
    'redact',
    'maintenance',
    'replay',
    'deadline',
    'cancellation',
    'rate-limit',
    'quota',
    'caching',
    'idempotency',
    'priority',
    'atomic-lock',
  ].map(extensionUrn),
)

/** Gives what sets answers with one result apart: those that differ by masks or language must not share an ETag. */
export function toShape({ extensions, facts }: Call): string {
  const redact = extensions.find(({ urn }) => canonicalUrn(urn) === extensionUrn('redact'))
  if (redact === undefined && facts.locale === undefined) return ''
  return toCanonicalJson([redact?.options, facts.locale])
}

/** Gives the key of the result of a call: everything the result depends on. */
export function toCacheKey(
  { call, target }: ExtensionCall,
  { shared, vary }: { readonly shared: boolean; readonly vary: Json },
): string {
  const others = call.extensions
    .map(({ urn, options }) => [canonicalUrn(urn), options] as const)
    .filter(([urn]) => !NEUTRAL.has(urn))
  const text = toCanonicalJson([
    target.name,
    target.version,
    call.arguments,
    shared ? null : toHolder(call.principal),
    call.facts.locale,
    vary,
    others,
  ])
  return storeKey('cache', toSha256(text))
}

/** One principal may call with less than all it is allowed: what it then gets must not come from when it had more. */
function toHolder(principal: Call['principal']): Json {
  if (principal === undefined) return null
  const { id, scopes } = principal
  return scopes === undefined ? id : [id, [...scopes].sort()]
}

/** Gives the context but for request ids: whoever calls on behalf of a tenant must not see another one's results. */
export function byContext({ context }: Call): Json {
  if (context === undefined) return null
  const { request_id: _request, correlation_id: _correlation, ...rest } = context
  return rest satisfies JsonObject
}

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

/** What the caller of a cached function knows already. */
export interface Condition {
  /** Entity tags of what the caller has; `*` for anything. */
  readonly etags: readonly string[] | undefined
  readonly since: number
}

/** Reads what the caller knows already. */
export function readCondition(source: OptionSource): Condition {
  const etags = readText(source, 'if_none_match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
  const since: unknown = source.options['if_modified_since']
  if (since === undefined) return { etags, since: Number.NEGATIVE_INFINITY }
  const moment = typeof since === 'string' && TIMESTAMP.test(since) ? Date.parse(since) : Number.NaN
  if (Number.isNaN(moment)) {
    throw invalidOption(
      source,
      'if_modified_since',
      'an RFC 3339 timestamp such as "2030-01-15T10:30:00Z"',
    )
  }
  return { etags, since: moment }
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
