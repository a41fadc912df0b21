import type { JSONWebKeySet } from 'jose'
import { CallError } from '../errors/index.ts'
import { isLoopbackHost } from '../net/index.ts'
import { type Clock, isList, isRecord, toReason } from '../values/index.ts'

/** Where the keys of an issuer come from. */
export interface KeySource {
  /** Gives the keys: remembered ones, old ones while the issuer does not answer. */
  readonly get: () => Promise<JSONWebKeySet>
  /** Fetches them anew for a key nobody has seen; undefined when that happened a moment ago. */
  readonly refresh: () => Promise<JSONWebKeySet | undefined>
}

/** What fetching keys needs. */
export interface KeySourceOptions {
  /** Address of the key set; found through the issuer's OpenID configuration when absent. */
  readonly jwks: string | undefined
  readonly issuer: string
  readonly fetch: typeof fetch
  readonly clock: Clock
}

const FRESH_MS = 600_000
const STALE_MS = 86_400_000
/** A caller who makes up key ids must not make us ask the issuer each time. */
const COOLDOWN_MS = 30_000
const TIMEOUT_MS = 5_000
const LONGEST_BODY = 1_048_576
const MOST_KEYS = 100

/** Creates the source of an issuer's keys: fetched once for all who wait, kept for ten minutes, for a day in an outage. */
export function createKeySource({ jwks, issuer, fetch: ask, clock }: KeySourceOptions): KeySource {
  const address = jwks === undefined ? undefined : assertSecure(jwks, 'jwks')
  assertSecure(issuer, 'issuer', jwks !== undefined)
  let kept: { readonly keys: JSONWebKeySet; readonly at: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<JSONWebKeySet> | undefined

  async function load(): Promise<JSONWebKeySet> {
    triedAt = clock.elapsed()
    const keys = toKeySet(await readJson(address ?? (await findAddress()), ask))
    kept = { keys, at: clock.elapsed() }
    return keys
  }

  async function findAddress(): Promise<string> {
    const found = await readJson(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      ask,
    )
    if (!isRecord(found) || found['issuer'] !== issuer) {
      throw new TypeError('the OpenID configuration names another issuer')
    }
    const { jwks_uri: place } = found
    return assertSecure(typeof place === 'string' ? place : '', 'jwks_uri')
  }

  const once = (): Promise<JSONWebKeySet> => {
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }

  return {
    async get() {
      const age = kept === undefined ? Number.POSITIVE_INFINITY : clock.elapsed() - kept.at
      if (kept !== undefined && age < FRESH_MS) return kept.keys
      const mayWait = kept !== undefined && age < STALE_MS
      if (mayWait && kept !== undefined && clock.elapsed() - triedAt < COOLDOWN_MS) return kept.keys
      try {
        return await once()
      } catch (cause) {
        if (mayWait && kept !== undefined) return kept.keys
        throw new CallError('UNAVAILABLE', {
          message: 'Tokens cannot be checked now',
          reason: toReason(cause),
          cause,
        })
      }
    },
    async refresh() {
      if (clock.elapsed() - triedAt < COOLDOWN_MS) return undefined
      try {
        return await once()
      } catch {
        return undefined
      }
    },
  }
}

function assertSecure(text: string, name: string, isNameOnly = false): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url?.protocol === 'http:' && isLoopbackHost(url.host)
  if (isNameOnly || url?.protocol === 'https:' || isLocal) return text
  throw new TypeError(`${name}: must be an https URL`)
}

async function readJson(url: string, ask: typeof fetch): Promise<unknown> {
  const response = await ask(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { accept: 'application/json' },
  })
  if (!response.ok) throw new TypeError(`the issuer answered ${response.status}`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > LONGEST_BODY) throw new TypeError('the answer of the issuer is too long')
  }
  return JSON.parse(text)
}

/** Secrets in a public key set would let everybody who reads it sign tokens. */
function toKeySet(value: unknown): JSONWebKeySet {
  const keys = isRecord(value) && isList(value['keys']) ? value['keys'] : []
  const usable = keys
    .slice(0, MOST_KEYS)
    .filter((key) => isRecord(key) && typeof key['kty'] === 'string' && key['kty'] !== 'oct')
  if (usable.length === 0) throw new TypeError('the key set of the issuer holds no public key')
  return { keys: usable as JSONWebKeySet['keys'] }
}
