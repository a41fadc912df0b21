import { CallError } from '../../errors/index.ts'
import {
  createCallerMemory,
  createPublicFetch,
  type PublicFetch,
  type PublicResponse,
} from '../../net/index.ts'
import { type Clock, systemClock, toReason, tryJson } from '../../values/index.ts'
import { judgeProfileUrl } from '../session/agent-header.ts'

/** Why a document could not be fetched. */
export type FetchFailure =
  | 'url_refused'
  | 'redirect_refused'
  | 'unreachable'
  | 'malformed'
  | 'rate_limited'

/** What asking for a document gives. The message may name internal addresses: it is for logs and for who runs this. */
export type FetchedDocument =
  | { readonly ok: true; readonly value: unknown; readonly freshUntil: number }
  | {
      readonly ok: false
      readonly code: FetchFailure
      readonly message: string
      /** Milliseconds after which it is worth asking again, when too much was asked for. */
      readonly retryAfterMs?: number
    }

/** Fetches JSON documents, remembers them as the protocol asks, and never throws. */
export interface DocumentFetcher {
  /** Gives a document, from memory while it is fresh. What was never fetched before counts for the caller, if one is named. */
  readonly get: (url: string, caller?: string) => Promise<FetchedDocument>
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
  /** How many documents are remembered, 500 by default; one caller's take at most a fifth. */
  readonly maxDocuments?: number
  /** How many bytes of documents are remembered, 67108864 by default; one caller's take at most a quarter. */
  readonly maxBytes?: number
  /** How many requests for documents never fetched before go out per minute over all hosts, 600 by default. */
  readonly maxPerMinute?: number
  /** The same for one caller, 60 by default. */
  readonly maxPerMinuteAndCaller?: number
  /** How many of these may run at one time, 100 by default; for one caller at most a tenth. */
  readonly maxConcurrent?: number
}

/** The shortest time a document is remembered, whatever its headers say. */
const FRESH_FLOOR_MS = 60_000

const FRESH_CEILING_MS = 24 * 3_600_000

const FETCHING = {
  requireHttps: true,
  maxBytes: 2 * 1024 * 1024,
  timeoutMs: 10_000,
  redirects: 'refuse',
} as const

const MAX_DEPTH = 100

/** Failures are remembered apart from documents: made-up addresses never push out a known one. */
const MAX_FAILURES = 1_000

/**
 * Makes a fetcher with a bounded memory. A document that was fetched once is known: asking for it again needs no
 * budget, so that whoever makes up addresses cannot lock out those who are known.
 */
export function createDocumentFetcher(options: DocumentFetcherOptions = {}): DocumentFetcher {
  const { clock = systemClock, maxDocuments = 500 } = options
  const allowLoopback = options.allowLoopback === true
  const fetch = options.fetch ?? createPublicFetch({ ...FETCHING, allowLoopback })
  const maxBytes = options.maxBytes ?? 67_108_864
  const known = createCallerMemory<Remembered>({
    max: maxDocuments,
    maxPerCaller: Math.ceil(maxDocuments / 5),
    maxBytes,
    maxBytesPerCaller: maxBytes / 4,
  })
  const failures = createCallerMemory<Failed>({
    max: MAX_FAILURES,
    maxPerCaller: MAX_FAILURES / 10,
    maxBytes: Number.POSITIVE_INFINITY,
    maxBytesPerCaller: Number.POSITIVE_INFINITY,
  })
  const running = new Map<string, Promise<FetchedDocument>>()
  const forced = new Map<string, number>()
  const budget = createFetchBudget(clock, {
    perMinute: options.maxPerMinute ?? 600,
    perMinuteAndCaller: options.maxPerMinuteAndCaller ?? 60,
    concurrent: options.maxConcurrent ?? 100,
  })

  async function load(url: string, caller: string | undefined): Promise<FetchedDocument> {
    const before = known.get(url)
    const leave = before === undefined ? budget.enter(caller) : () => undefined
    if (typeof leave === 'object') return leave
    try {
      const headers = {
        accept: 'application/json',
        ...(before?.etag && { 'if-none-match': before.etag }),
      }
      return keep(url, remember(await fetch(url, { headers }), before, clock.now()), caller)
    } catch (thrown) {
      return keep(url, toFailure(thrown), caller)
    } finally {
      leave()
    }
  }

  function keep(
    url: string,
    outcome: Remembered | Failure,
    caller: string | undefined,
  ): FetchedDocument {
    if ('document' in outcome) {
      known.set(url, outcome, { caller, bytes: outcome.bytes })
      failures.delete(url)
      return outcome.document
    }
    const count = (failures.get(url)?.count ?? 0) + 1
    const pause = Math.min(FRESH_FLOOR_MS, 1_000 * 2 ** (count - 1))
    const failed = { failure: outcome, until: clock.now() + pause, count }
    failures.set(url, failed, { caller, bytes: url.length })
    return outcome
  }

  function start(url: string, caller: string | undefined): Promise<FetchedDocument> {
    const pending = running.get(url) ?? load(url, caller).finally(() => running.delete(url))
    running.set(url, pending)
    return pending
  }

  function refuse(url: string): Failure | undefined {
    const judged = judgeProfileUrl(url, { allowLoopback })
    return judged.ok ? undefined : failed('url_refused', `${url.slice(0, 200)}: ${judged.message}`)
  }

  async function get(url: string, caller?: string): Promise<FetchedDocument> {
    const refused = refuse(url)
    if (refused !== undefined) return refused
    const failure = failures.get(url)
    if (failure !== undefined && failure.until > clock.now()) return failure.failure
    const found = known.get(url)
    known.touch(url)
    return found && found.document.freshUntil > clock.now() ? found.document : start(url, caller)
  }

  return {
    get,
    refresh: async (url) => {
      const refused = refuse(url)
      if (refused !== undefined) return refused
      const { origin } = new URL(url)
      const last = forced.get(origin) ?? Number.NEGATIVE_INFINITY
      if (clock.now() - last < FRESH_FLOOR_MS) return get(url)
      if (forced.size >= maxDocuments) forced.clear()
      forced.set(origin, clock.now())
      return start(url, undefined)
    },
  }
}

type Failure = FetchedDocument & { readonly ok: false }

interface Failed {
  readonly failure: Failure
  readonly until: number
  /** Failures in a row: each one doubles the pause before the next attempt. */
  readonly count: number
}

interface Remembered {
  readonly document: FetchedDocument & { readonly ok: true }
  readonly etag: string | undefined
  readonly bytes: number
}

function remember(
  response: PublicResponse,
  before: Remembered | undefined,
  now: number,
): Remembered | Failure {
  const freshUntil = now + freshFor(response.header('cache-control'))
  if (response.status === 304 && before !== undefined) {
    return { ...before, document: { ...before.document, freshUntil } }
  }
  if (response.status >= 300 && response.status < 400) {
    return failed('redirect_refused', 'redirects are not followed')
  }
  if (response.status !== 200) {
    return failed('unreachable', `${response.url} answered with status ${response.status}`)
  }
  const text = decode(response.body)
  const value = text === undefined ? NOT_JSON : tryJson(text, NOT_JSON)
  if (value === NOT_JSON) return failed('malformed', `${response.url} is not JSON`)
  if (isDeeperThan(value, MAX_DEPTH)) return failed('malformed', `${response.url} nests too deeply`)
  return {
    document: { ok: true, value, freshUntil },
    etag: response.header('etag'),
    // Parsed, a document takes several times what its text takes.
    bytes: 4 * response.body.byteLength + 1_024,
  }
}

const NOT_JSON = Symbol('not JSON')

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function freshFor(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl ?? '')?.[1]
  const asked = seconds === undefined ? 0 : Number(seconds) * 1_000
  return Math.min(FRESH_CEILING_MS, Math.max(FRESH_FLOOR_MS, asked))
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  return Object.values(value).some((member) => isDeeperThan(member, depth - 1))
}

function toFailure(thrown: unknown): Failure {
  const message = toReason(thrown)
  const reason = thrown instanceof CallError ? thrown.errors[0].details?.['reason'] : undefined
  if (reason === 'redirect_refused') return failed('redirect_refused', message)
  const refused = thrown instanceof CallError && thrown.code === 'ADDRESS_REFUSED'
  return failed(refused ? 'url_refused' : 'unreachable', message)
}

function failed(code: FetchFailure, message: string): Failure {
  return { ok: false, code, message }
}

/** How much may be asked for that was never had before. */
interface FetchBudgetOptions {
  readonly perMinute: number
  readonly perMinuteAndCaller: number
  /** At one time; for one caller at most a tenth of it. */
  readonly concurrent: number
}

interface Share {
  used: number
  running: number
}

const WINDOW_MS = 60_000

/** Counts requests that a caller causes; gives what ends one, or the refusal. Without a name no caller is counted. */
function createFetchBudget(clock: Clock, options: FetchBudgetOptions) {
  const shares = new Map<string, Share>()
  const total: Share = { used: 0, running: 0 }
  let window = Number.NEGATIVE_INFINITY

  function renew(now: number): void {
    if (now - window < WINDOW_MS) return
    window = now
    total.used = 0
    for (const [caller, share] of shares) {
      share.used = 0
      if (share.running === 0) shares.delete(caller)
    }
  }

  return {
    enter(caller: string | undefined): (() => void) | Failure {
      const now = clock.now()
      renew(now)
      const share = (caller !== undefined && shares.get(caller)) || { used: 0, running: 0 }
      if (total.running >= options.concurrent) return refuse(1_000)
      if (total.used >= options.perMinute) return refuse(window + WINDOW_MS - now)
      if (caller !== undefined) {
        if (share.running >= Math.ceil(options.concurrent / 10)) return refuse(1_000)
        if (share.used >= options.perMinuteAndCaller) return refuse(window + WINDOW_MS - now)
        // No more callers than requests: the map cannot grow beyond the budget.
        shares.set(caller, share)
      }
      for (const counted of [total, share]) {
        counted.used += 1
        counted.running += 1
      }
      return () => {
        total.running -= 1
        share.running -= 1
      }
    },
  }
}

function refuse(retryAfterMs: number): Failure {
  const message = 'too many documents were requested; try again later'
  return { ok: false, code: 'rate_limited', message, retryAfterMs }
}
