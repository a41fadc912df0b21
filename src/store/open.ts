import type { SweepOptions } from './front.ts'
import { createMemoryStore } from './memory/memory.ts'
import { loadOptional } from './optional-package.ts'
import type { PostgresPool } from './postgres/connection.ts'
import { createPostgresStore } from './postgres/postgres.ts'
import type { RedisClient } from './redis/connection.ts'
import { createRedisStore } from './redis/redis.ts'
import { createSqliteStore } from './sqlite/sqlite.ts'
import type { Store } from './store.ts'

/** What every store can be told, whatever its address. */
export interface OpenStoreOptions {
  /** Milliseconds an operation may take before it fails; 5,000 when absent. */
  readonly timeout?: number
  /** Keeps several stores in one server apart: the Redis key prefix or the PostgreSQL schema; `waymark` when absent. */
  readonly namespace?: string
  readonly sweep?: SweepOptions
  /** Loads an optional package; `import` when absent. */
  readonly load?: (name: string) => Promise<unknown>
}

/** Opens the store at an address such as `sqlite:data/state.db` or `redis://127.0.0.1:6379`. */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<Store> {
  const scheme = /^([a-z]+):/.exec(url)?.[1] ?? ''
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined
  if (open) return open(url, options)
  // Not the address itself: it may hold a password.
  const found = scheme === '' ? 'it has none' : `not ${scheme}:`
  const known = 'memory:, sqlite:PATH, redis://HOST:PORT or postgres://HOST/DATABASE'
  throw new TypeError(`The scheme of a store address must be one of ${known}, ${found}`)
}

type Opener = (url: string, options: OpenStoreOptions) => Promise<Store>

const OPENERS: Readonly<Record<string, Opener>> = {
  memory: async (url, options) =>
    createMemoryStore({ ...toCommon(options), ...toMemorySettings(url) }),
  sqlite: (url, { load, ...options }) =>
    createSqliteStore(toPath(url), { ...toCommon(options), ...(load && { load }) }),
  redis: openRedis,
  rediss: openRedis,
  postgres: openPostgres,
  postgresql: openPostgres,
}

type NewRedis = new (
  url: string,
  options: Readonly<Record<string, unknown>>,
) => RedisClient & { disconnect(reconnect?: boolean): void }

async function openRedis(url: string, options: OpenStoreOptions): Promise<Store> {
  const { timeout = 5000, namespace, load } = options
  const { Redis } = await loadOptional('ioredis', 'redis:', load)
  const client = new (Redis as NewRedis)(url, {
    lazyConnect: true,
    connectionName: 'waymark',
    connectTimeout: timeout,
    // A command is sent once or not at all: repeating it behind the caller's back would count it twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, 1000),
    // After a failover the old server refuses writes: look for the new one.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  })
  // The store watches the connection; without a listener ioredis would print every failed attempt.
  client.on('error', () => {})
  const store = await createRedisStore(client, {
    ...toCommon(options),
    ...(namespace !== undefined && { prefix: namespace }),
    // A connection whose other end has vanished would stay silent for a quarter of an hour.
    onSilence: () => client.disconnect(true),
    onClose: async () => client.disconnect(),
  })
  return withOrigin(store, url, namespace)
}

type NewPool = new (
  options: Readonly<Record<string, unknown>>,
) => PostgresPool & { end(): Promise<void> }

async function openPostgres(url: string, options: OpenStoreOptions): Promise<Store> {
  const { timeout = 5000, namespace, load } = options
  const { Pool } = await loadOptional('pg', 'postgres:', load)
  const pool = new (Pool as NewPool)({
    connectionString: url,
    application_name: 'waymark',
    connectionTimeoutMillis: timeout,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
  })
  // A connection may still report that it broke when the store has let go of the pool.
  pool.on('error', () => {})
  const store = await createPostgresStore(pool, {
    ...toCommon(options),
    ...(namespace !== undefined && { schema: namespace }),
    onClose: () => pool.end(),
  })
  return withOrigin(store, url, namespace)
}

function withOrigin(store: Store, url: string, namespace = 'waymark'): Store {
  return { ...store, origin: { url, namespace } }
}

function toCommon({
  timeout,
  sweep,
}: OpenStoreOptions): Pick<OpenStoreOptions, 'timeout' | 'sweep'> {
  return { ...(timeout !== undefined && { timeout }), ...(sweep && { sweep }) }
}

function toMemorySettings(url: string): { readonly maxBytes?: number } {
  if (url === 'memory:' || url === 'memory://') return {}
  const maxBytes = /^memory:\?maxBytes=(\d{1,15})$/.exec(url)?.[1]
  if (maxBytes !== undefined) return { maxBytes: Number(maxBytes) }
  throw new TypeError('A store in memory is written memory: or memory:?maxBytes=1000000')
}

function toPath(url: string): string {
  const path = url.slice('sqlite:'.length)
  if (path === '' || /^\/\/[^/]/.test(path)) {
    throw new TypeError('A SQLite store is written sqlite:PATH, for example sqlite:data/state.db')
  }
  return path.replace(/^\/+/, '/')
}
