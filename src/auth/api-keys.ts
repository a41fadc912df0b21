import { createHash, randomBytes } from 'node:crypto'
import type { Principal } from '../core/index.ts'
import { isSameSecret } from '../net/index.ts'
import { type Store, storeKey, storePrefix } from '../store/index.ts'
import { type Clock, isList, isRecord, type Json, systemClock } from '../values/index.ts'
import {
  type Authenticate,
  NothingShown,
  readBearerToken,
  refuseCredentials,
} from './authenticator.ts'

/** What is known of an API key; the key itself is known to nobody but its owner. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  /** Id of the principal whose calls it makes. */
  readonly principal: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt?: number
}

/** What a new key is made of. */
export interface NewApiKey {
  readonly name: string
  readonly scopes?: readonly string[]
  /** Id of the principal whose calls it makes; `key:` and the id of the key when absent. */
  readonly principal?: string
  /** Milliseconds until it ends; never when absent. */
  readonly ttlMs?: number
}

/** The API keys in a store. */
export interface ApiKeys {
  /** Creates a key; its text is given here and never again. */
  readonly create: (wanted: NewApiKey) => Promise<{ readonly key: string; readonly record: ApiKey }>
  readonly list: () => Promise<readonly ApiKey[]>
  /** Ends a key; tells whether there was one. */
  readonly revoke: (id: string) => Promise<boolean>
}

const KEY = /^wm_([0-9a-f]{16})_([0-9a-f]{64})$/
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/
/** What an unknown key is compared with: nobody has a text with this digest. */
const ABSENT = Buffer.alloc(32)

/** Opens the API keys of a store, to create, list and revoke them. */
export function createApiKeys(store: Store, clock: Clock = systemClock): ApiKeys {
  return {
    async create({ name, scopes = [], principal, ttlMs }) {
      const wrong = scopes.find((scope) => !SCOPE.test(scope))
      if (wrong !== undefined) throw new TypeError(`"${wrong.slice(0, 100)}" is not a scope`)
      const id = randomBytes(8).toString('hex')
      const secret = randomBytes(32).toString('hex')
      const record: ApiKey = {
        id,
        name: name.slice(0, 200),
        scopes,
        principal: principal ?? `key:${id}`,
        createdAt: clock.now(),
        ...(ttlMs !== undefined && { expiresAt: clock.now() + ttlMs }),
      }
      // The secret has 256 random bits: a slow hash would cost each call and protect nothing.
      const value = { ...record, scopes: [...scopes], hash: digest(secret).toString('hex') }
      await store.putIfAbsent(storeKey('api-key', id), value, { ttl: ttlMs ?? null })
      return { key: `wm_${id}_${secret}`, record }
    },
    async list() {
      const found: ApiKey[] = []
      let cursor: string | undefined
      do {
        const page = await store.listByPrefix(storePrefix('api-key'), {
          limit: 1_000,
          ...(cursor !== undefined && { cursor }),
        })
        for (const { value } of page.entries) {
          const known = decode(value)
          if (known !== undefined) found.push(known.record)
        }
        cursor = page.cursor
      } while (cursor !== undefined)
      return found
    },
    revoke: (id) => store.delete(storeKey('api-key', id)),
  }
}

/** How API keys are recognised. */
export interface ApiKeysOptions {
  readonly store: Store
  /** The header besides `Authorization: Bearer`; `x-api-key` when absent. */
  readonly header?: string
  /** Milliseconds for which a key that was found is not looked up again, so also after its end; 5000 when absent. */
  readonly cacheMs?: number
  readonly clock?: Clock
}

const MOST_KEPT = 1_000

interface Known {
  readonly record: ApiKey
  readonly hash: Buffer
}

/** Knows callers by the API keys in a store: `Authorization: Bearer wm_…`, or `X-API-Key`. */
export function apiKeys(options: ApiKeysOptions): Authenticate {
  const { store, header: name = 'x-api-key', cacheMs = 5_000, clock = systemClock } = options
  const kept = new Map<string, { readonly known: Known; readonly until: number }>()

  /** Unknown and wrong keys take the same steps. */
  const judge = (known: Known | undefined, secret: string): Principal => {
    const isRight = isSameSecret(digest(secret), known?.hash ?? ABSENT)
    if (known === undefined || !isRight) throw refuseCredentials('the API key is not known')
    const { id, principal, scopes, expiresAt } = known.record
    if (expiresAt !== undefined && expiresAt <= clock.now()) {
      throw refuseCredentials(`the API key ${id} has expired`)
    }
    return { id: principal, scopes, key: id }
  }

  return (credentials) => {
    const bearer = readBearerToken(credentials)
    const own = credentials.header(name)
    const fromBearer = bearer?.startsWith('wm_') ? bearer : undefined
    const text = own ?? fromBearer
    if (text === undefined) throw new NothingShown()
    if (own !== undefined && bearer !== undefined && own !== bearer) {
      throw refuseCredentials(`Authorization and ${name} name different callers`)
    }
    const [, id = '', secret = ''] = text.length > 100 ? [] : (KEY.exec(text) ?? [])
    if (id === '') throw refuseCredentials('the API key does not have the form of one')
    const found = kept.get(id)
    if (found !== undefined && found.until > clock.elapsed()) return judge(found.known, secret)
    return store.get(storeKey('api-key', id)).then((entry) => {
      const known = entry && decode(entry.value)
      const principal = judge(known, secret)
      const [oldest] = kept.keys()
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
      if (known !== undefined) kept.set(id, { known, until: clock.elapsed() + cacheMs })
      return principal
    })
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function decode(value: Json): Known | undefined {
  if (!isRecord(value) || !isList(value['scopes'])) return undefined
  const { id, name, principal, createdAt, expiresAt, hash, scopes } = value
  if (typeof id !== 'string' || typeof hash !== 'string' || typeof principal !== 'string') {
    return undefined
  }
  const bytes = Buffer.from(hash, 'hex')
  if (bytes.byteLength !== 32) return undefined
  return {
    hash: bytes,
    record: {
      id,
      name: typeof name === 'string' ? name : '',
      scopes: scopes.filter((scope) => typeof scope === 'string'),
      principal,
      createdAt: typeof createdAt === 'number' ? createdAt : 0,
      ...(typeof expiresAt === 'number' && { expiresAt }),
    },
  }
}
