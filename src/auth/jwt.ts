import { createHash } from 'node:crypto'
import type { JSONWebKeySet, JWTPayload } from 'jose'
import type { Principal } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { type Clock, isList, once, systemClock, toReason } from '../values/index.ts'
import {
  type Authenticate,
  NothingShown,
  readBearerToken,
  refuseCredentials,
} from './authenticator.ts'
import { createKeySource } from './key-source.ts'

/** Which tokens are accepted. Nothing of a token decides how it is checked. */
export interface JwtOptions {
  /** Who signs the tokens, exactly as in `iss`. */
  readonly issuer: string
  /** Whom the tokens are for, as in `aud`: the name or URL of this service. */
  readonly audience: string
  /** Asymmetric algorithms the issuer signs with, such as `['RS256']`. */
  readonly algorithms: readonly string[]
  /** The keys, or the https URL of the key set; found through the issuer's OpenID configuration when absent. */
  readonly jwks?: string | JSONWebKeySet
  /** Makes the principal; `sub` and the scopes in `scope` or `scp` when absent. */
  readonly principal?: (claims: JWTPayload) => Principal
  /** Required `typ` of the header, such as `at+jwt`; any when absent. */
  readonly type?: string
  /** Seconds by which the clocks of two machines may differ; 5 when absent. */
  readonly toleranceSeconds?: number
  /** Milliseconds for which a token that was verified is not verified again; 30000 when absent. */
  readonly cacheMs?: number
  readonly clock?: Clock
  /** Fetches the keys; the global one when absent. */
  readonly fetch?: typeof fetch
}

const ASYMMETRIC = /^(?:RS|PS|ES)(?:256|384|512)$|^EdDSA$|^Ed25519$/
const LONGEST_TOKEN = 8_192
const MOST_KEPT = 1_000

/** Knows callers by signed tokens (JWT, OpenID Connect). Needs the package `jose`. */
export function jwt(options: JwtOptions): Authenticate {
  assertPinned(options)
  const { clock = systemClock, cacheMs = 30_000 } = options
  const verify = once(() => createVerifier(options, clock))
  const kept = new Map<string, { readonly principal: Principal; readonly until: number }>()
  return (credentials) => {
    const token = readBearerToken(credentials)
    if (token?.split('.', 4).length !== 3) throw new NothingShown()
    if (token.length > LONGEST_TOKEN) throw refuseCredentials('the token is too long')
    const key = createHash('sha256').update(token).digest('base64')
    const found = kept.get(key)
    if (found !== undefined && found.until > clock.now()) return found.principal
    return verify()(token).then((claims) => {
      const principal = (options.principal ?? toPrincipal)(claims)
      const [oldest] = kept.keys()
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
      const until = Math.min(clock.now() + cacheMs, (claims.exp ?? 0) * 1_000)
      kept.set(key, { principal, until })
      return principal
    })
  }
}

type Verify = (token: string) => Promise<JWTPayload>

function createVerifier(options: JwtOptions, clock: Clock): Verify {
  const { issuer, audience, algorithms, jwks, type, toleranceSeconds = 5 } = options
  const loading = loadJose()
  const source =
    typeof jwks === 'object'
      ? { get: async () => jwks, refresh: async () => undefined }
      : createKeySource({ jwks, issuer, clock, fetch: options.fetch ?? fetch })
  return async (token) => {
    const jose = await loading
    const check = async (keys: JSONWebKeySet): Promise<JWTPayload> => {
      const { payload } = await jose.jwtVerify(token, jose.createLocalJWKSet(keys), {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: toleranceSeconds,
        requiredClaims: ['exp', 'iss', 'aud'],
        currentDate: new Date(clock.now()),
        ...(type !== undefined && { typ: type }),
      })
      return payload
    }
    try {
      return await check(await source.get())
    } catch (thrown) {
      if (thrown instanceof CallError) throw thrown
      const isUnknownKey = thrown instanceof jose.errors.JWKSNoMatchingKey
      const newer = isUnknownKey ? await source.refresh() : undefined
      if (newer === undefined) throw refuseCredentials(toReason(thrown), thrown)
      return check(newer).catch((again: unknown) => {
        throw refuseCredentials(toReason(again), again)
      })
    }
  }
}

async function loadJose(): Promise<typeof import('jose')> {
  try {
    return await import('jose')
  } catch (cause) {
    throw new TypeError('Signed tokens need the package "jose": run npm install jose', { cause })
  }
}

/** With a shared secret, or an algorithm that a caller chooses, a public key could pass for a secret. */
function assertPinned({ issuer, audience, algorithms }: JwtOptions): void {
  if (typeof issuer !== 'string' || issuer === '') throw new TypeError('jwt: issuer is required')
  if (typeof audience !== 'string' || audience === '') {
    throw new TypeError('jwt: audience is required')
  }
  const wrong = algorithms.find((algorithm) => !ASYMMETRIC.test(algorithm))
  if (algorithms.length === 0 || wrong !== undefined) {
    throw new TypeError("jwt: algorithms must be asymmetric ones such as ['RS256']")
  }
}

function toPrincipal(claims: JWTPayload): Principal {
  const { sub, scope, scp } = claims
  if (typeof sub !== 'string' || sub === '') throw refuseCredentials('the token has no sub')
  const given = scope ?? scp
  const scopes =
    typeof given === 'string'
      ? given.split(' ').filter((text) => text !== '')
      : isList(given)
        ? given.filter((text) => typeof text === 'string')
        : []
  return { id: sub, scopes }
}

/** What makes a service an OAuth resource server. */
export interface OAuthResourceOptions extends Omit<JwtOptions, 'audience'> {
  /** The public URL of the service, which tokens must name as their audience: `https://api.example.com/mcp`. */
  readonly resource: string
  /** Scopes that clients are told to ask for. */
  readonly scopes?: readonly string[]
}

/** Makes the two halves of an OAuth resource server: the hook of the service, and what `mcp({ authorization })` publishes (RFC 9728). */
export function oauthResource({ resource, scopes, ...options }: OAuthResourceOptions): {
  readonly authenticate: Authenticate
  readonly authorization: {
    readonly resource: string
    readonly authorizationServers: readonly string[]
    readonly scopes?: readonly string[]
  }
} {
  return {
    authenticate: jwt({ ...options, audience: resource }),
    authorization: {
      resource,
      authorizationServers: [options.issuer],
      ...(scopes && { scopes }),
    },
  }
}
