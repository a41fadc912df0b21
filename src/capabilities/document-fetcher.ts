import { type Clock, systemClock } from '../core/clock.ts'
import { CallError } from '../core/error.ts'
import { toReason } from '../core/text.ts'
import { createPublicFetch, type PublicFetch, type PublicResponse } from '../wire/public-address.ts'
import { judgeProfileUrl } from './agent-header.ts'

/** Why a document could not be had. */
type FetchFailure =
  | 'url_refused'
  | 'redirect_refused'
  | 'unreachable'
  | 'malformed'
  | 'rate_limited'

/** What asking for a document gives. */
export type FetchedDocument =
  | { readonly ok: true; readonly value: unknown; readonly freshUntil: number }
  | { readonly ok: false; readonly code: FetchFailure; readonly message: string }

/** Fetches JSON documents, remembers them as the protocol asks, and never throws. */
export interface DocumentFetcher {
  /** Gives a document, from memory while it is fresh. */
  readonly get: (url: string) => Promise<FetchedDocument>
  /** Asks the origin again, at most once per minute and origin; otherwise gives what is remembered. */
  readonly refresh: (url: string) => Promise<FetchedDocument>
}

/** How documents are fetched and remembered. */
export interface DocumentFetcherOptions {
  /** Allows loopback addresses and plain http to them, for local development only. */
  readonly allowLoopback?: boolean
  /** Sends the requests; the guarded fetch of Waymark by default. */
  readonly fetch?: PublicFetch
  readonly clock?: Clock
  /** How many documents are remembered, 500 by default. */
  readonly maxDocuments?: number
  /** How many requests go out per minute over all hosts, 600 by default. */
  readonly maxPerMinute?: number
}

/** The shortest time a document is remembered, whatever its headers say. */
const FRESH_FLOOR_MS = 60_000

const FRESH_CEILING_MS = 24 * 3_600_000

const MAX_BYTES = 2 * 1024 * 1024

const MAX_DEPTH = 100

/** Makes a fetcher with a bounded memory. */
export function createDocumentFetcher(options: DocumentFetcherOptions = {}): DocumentFetcher {
  const { clock = systemClock, maxDocuments = 500, maxPerMinute = 600 } = options
  const allowLoopback = options.allowLoopback === true
  const fetch = options.fetch ?? guardedFetch(allowLoopback)
  const memory = createMemory(maxDocuments)
  const running = new Map<string, Promise<FetchedDocument>>()
  const forced = new Map<string, number>()
  const allowed = createRateLimit(clock, maxPerMinute)

  async function load(url: string): Promise<FetchedDocument> {
    if (!allowed()) return failed('rate_limited', 'too many documents were asked for; try later')
    const before = memory.get(url)
    const etag = before?.outcome.ok ? before.etag : undefined
    const remembered = await request(url, etag, before)
    memory.set(url, remembered)
    return remembered.outcome
  }

  async function request(
    url: string,
    etag: string | undefined,
    before: Remembered | undefined,
  ): Promise<Remembered> {
    try {
      const headers = { accept: 'application/json', ...(etag && { 'if-none-match': etag }) }
      const response = await fetch(url, { headers })
      return remember(response, before, clock.now())
    } catch (thrown) {
      return forget(toFailure(thrown), before, clock.now())
    }
  }

  function start(url: string): Promise<FetchedDocument> {
    const pending = running.get(url) ?? load(url).finally(() => running.delete(url))
    running.set(url, pending)
    return pending
  }

  async function get(url: string): Promise<FetchedDocument> {
    const judged = judgeProfileUrl(url, { allowLoopback })
    if (!judged.ok) return failed('url_refused', `${url}: ${judged.message}`)
    const known = memory.get(url)
    return known && known.until > clock.now() ? known.outcome : start(url)
  }

  return {
    get,
    refresh: async (url) => {
      const judged = judgeProfileUrl(url, { allowLoopback })
      if (!judged.ok) return failed('url_refused', `${url}: ${judged.message}`)
      const { origin } = new URL(url)
      const last = forced.get(origin) ?? Number.NEGATIVE_INFINITY
      if (clock.now() - last < FRESH_FLOOR_MS) return get(url)
      if (forced.size >= maxDocuments) forced.clear()
      forced.set(origin, clock.now())
      return start(url)
    },
  }
}

interface Remembered {
  readonly outcome: FetchedDocument
  readonly until: number
  readonly etag: string | undefined
  /** Failures in a row: each one doubles the pause before the next attempt. */
  readonly failures: number
}

function remember(
  response: PublicResponse,
  before: Remembered | undefined,
  now: number,
): Remembered {
  const until = now + freshFor(response.header('cache-control'))
  if (response.status === 304 && before?.outcome.ok) {
    return { ...before, outcome: { ...before.outcome, freshUntil: until }, until, failures: 0 }
  }
  if (response.status >= 300 && response.status < 400) {
    return forget(failed('redirect_refused', 'redirects are not followed'), before, now)
  }
  if (response.status !== 200) {
    const message = `${response.url} answered with status ${response.status}`
    return forget(failed('unreachable', message), before, now)
  }
  const parsed = parseDocument(response)
  if (!parsed.ok) return forget(parsed, before, now)
  const outcome = { ok: true as const, value: parsed.value, freshUntil: until }
  return { outcome, until, etag: response.header('etag'), failures: 0 }
}

function forget(
  outcome: FetchedDocument & { readonly ok: false },
  before: Remembered | undefined,
  now: number,
): Remembered {
  const failures = (before?.failures ?? 0) + 1
  const pause = Math.min(FRESH_FLOOR_MS, 1_000 * 2 ** (failures - 1))
  return { outcome, until: now + pause, etag: undefined, failures }
}

function freshFor(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl ?? '')?.[1]
  const asked = seconds === undefined ? 0 : Number(seconds) * 1_000
  return Math.min(FRESH_CEILING_MS, Math.max(FRESH_FLOOR_MS, asked))
}

function parseDocument(
  response: PublicResponse,
): { readonly ok: true; readonly value: unknown } | (FetchedDocument & { readonly ok: false }) {
  try {
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(response.body),
    )
    if (isDeeperThan(value, MAX_DEPTH))
      return failed('malformed', `${response.url} nests too deeply`)
    return { ok: true, value }
  } catch {
    return failed('malformed', `${response.url} is not JSON`)
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  return Object.values(value).some((member) => isDeeperThan(member, depth - 1))
}

function toFailure(thrown: unknown): FetchedDocument & { readonly ok: false } {
  const message = toReason(thrown)
  const reason = thrown instanceof CallError ? thrown.errors[0].details?.['reason'] : undefined
  if (reason === 'redirect_refused') return failed('redirect_refused', message)
  const refused = thrown instanceof CallError && thrown.code === 'ADDRESS_REFUSED'
  return failed(refused ? 'url_refused' : 'unreachable', message)
}

function failed(code: FetchFailure, message: string): FetchedDocument & { readonly ok: false } {
  return { ok: false, code, message }
}

function guardedFetch(allowLoopback: boolean): PublicFetch {
  return createPublicFetch({
    allowLoopback,
    requireHttps: true,
    maxBytes: MAX_BYTES,
    timeoutMs: 10_000,
    redirects: 'refuse',
  })
}

function createMemory(limit: number): {
  get(url: string): Remembered | undefined
  set(url: string, value: Remembered): void
} {
  const entries = new Map<string, Remembered>()
  return {
    get: (url) => {
      const found = entries.get(url)
      // Moved to the end: the first entry is always the one not used for the longest time.
      if (found && entries.delete(url)) entries.set(url, found)
      return found
    },
    set: (url, value) => {
      entries.delete(url)
      entries.set(url, value)
      const [oldest] = entries.keys()
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest)
    },
  }
}

function createRateLimit(clock: Clock, perMinute: number): () => boolean {
  let window = Number.NEGATIVE_INFINITY
  let used = 0
  return () => {
    const now = clock.now()
    if (now - window >= 60_000) {
      window = now
      used = 0
    }
    used += 1
    return used <= perMinute
  }
}
