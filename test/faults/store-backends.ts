import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import Database from 'libsql'
import { Client } from 'pg'
import {
  createMemoryStore,
  createRedisStore,
  type MemoryStore,
  openStore,
  type Store,
} from '../../src/entries/store.ts'
import { canStartRedis, findPostgres, findRedis, startRedis } from './store-servers.ts'

/** One kind of store, ready for tests. */
export interface StoreBackend {
  readonly name: string
  /** Where other processes can open the store too; absent where they cannot. */
  readonly url?: string
  readonly namespace: string
  /** Tells whether two stores opened here see the same data. */
  readonly shared: boolean
  open(): Promise<Store>
  passTime(milliseconds: number): Promise<void>
  /** Counts the records under a key prefix that really lie there. */
  countRecords(prefix: string, store: Store): Promise<number>
  /** Removes everything that the tests wrote. */
  cleanUp(): Promise<void>
}

/** A backend whose server is missing: its tests are skipped by name. */
export interface MissingBackend {
  readonly name: string
  readonly missing: true
}

// Late enough that most cases meet expired entries which are still there.
const SWEEP = { interval: 300 }

/** The kinds of stores that tests run on. */
export type BackendName = 'memory' | 'sqlite' | 'redis' | 'redis cluster' | 'postgres'

/** Prepares backends, all unless told which, on the servers of this machine or on private ones. */
export function prepareBackends(
  names: readonly BackendName[] = ['memory', 'sqlite', 'redis', 'redis cluster', 'postgres'],
): Promise<readonly (StoreBackend | MissingBackend)[]> {
  return Promise.all(names.map((name) => PREPARE[name]()))
}

type Prepare = () => Promise<StoreBackend | MissingBackend>

const PREPARE: Readonly<Record<BackendName, Prepare>> = {
  memory: prepareMemory,
  sqlite: prepareSqlite,
  redis: prepareRedis,
  'redis cluster': prepareCluster,
  postgres: preparePostgres,
}

async function prepareMemory(): Promise<StoreBackend> {
  let elapsed = 0
  return {
    name: 'memory',
    namespace: '',
    shared: false,
    open: async () => createMemoryStore({ clock: { elapsed: () => elapsed }, sweep: SWEEP }),
    async passTime(milliseconds) {
      elapsed += milliseconds
      await sleep(1)
    },
    countRecords: async (_, store) => (store as MemoryStore).size,
    cleanUp: async () => {},
  }
}

async function prepareSqlite(): Promise<StoreBackend> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-sqlite-'))
  const path = join(folder, 'new', 'state.db')
  return {
    name: 'sqlite',
    url: `sqlite:${path}`,
    namespace: '',
    shared: true,
    open: () => openStore(`sqlite:${path}`, { sweep: SWEEP }),
    passTime,
    async countRecords(prefix) {
      const database = new Database(path, { timeout: 1000 })
      const sql = 'SELECT count(*) FROM waymark_rows WHERE substr(key, 1, ?) = ?'
      const row = database.prepare(sql).raw().get(prefix.length, prefix)
      database.close()
      return Array.isArray(row) ? Number(row[0]) : -1
    },
    cleanUp: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function prepareRedis(): Promise<StoreBackend | MissingBackend> {
  const server = await findRedis()
  if (!server) return { name: 'redis', missing: true }
  const { url } = server
  const namespace = newNamespace()
  const client = new Redis(url)
  return {
    name: 'redis',
    url,
    namespace,
    shared: true,
    open: () => openStore(url, { namespace, sweep: SWEEP }),
    passTime,
    countRecords: async (prefix) => {
      const keys = await client.zrange(`${namespace}:{0}:keys`, '0', '-1')
      return keys.filter((key) => key.startsWith(prefix)).length
    },
    async cleanUp() {
      const names = await client.keys(`${namespace}:*`)
      if (names.length > 0) await client.del(...names)
      client.disconnect()
      await server.stop()
    },
  }
}

/** A private Redis in cluster mode, started when first used: it refuses a step over keys of two hash slots. */
async function prepareCluster(): Promise<StoreBackend | MissingBackend> {
  const name = 'redis cluster'
  if (!canStartRedis()) return { name, missing: true }
  let starting: ReturnType<typeof startCluster> | undefined

  function ready(): ReturnType<typeof startCluster> {
    starting ??= startCluster()
    return starting
  }

  return {
    name,
    namespace: 'test',
    shared: true,
    async open() {
      const { server } = await ready()
      const { hostname, port } = new URL(server.url)
      const cluster = new Cluster([{ host: hostname, port: Number(port) }])
      const onClose = async () => cluster.disconnect()
      return createRedisStore(cluster, { prefix: 'test', shards: 4, sweep: SWEEP, onClose })
    },
    passTime,
    countRecords: async (prefix) => {
      const { client } = await ready()
      const names = [0, 1, 2, 3].map((at) => `test:{${at}}:keys`)
      const keys = (await Promise.all(names.map((key) => client.zrange(key, '0', '-1')))).flat()
      return keys.filter((key) => key.startsWith(prefix)).length
    },
    async cleanUp() {
      const { client, server } = await ready()
      client.disconnect()
      await server.stop()
    },
  }
}

async function startCluster() {
  const server = await startRedis([
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
  ])
  const client = new Redis(server.url)
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  while (!String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await sleep(20)
  return { server, client }
}

async function preparePostgres(): Promise<StoreBackend | MissingBackend> {
  const server = await findPostgres()
  if (!server) return { name: 'postgres', missing: true }
  const { url } = server
  const namespace = newNamespace()
  const client = new Client(url)
  await client.connect()
  return {
    name: 'postgres',
    url,
    namespace,
    shared: true,
    open: () => openStore(url, { namespace, sweep: SWEEP }),
    passTime,
    async countRecords(prefix) {
      const sql = `SELECT count(*)::int AS n FROM ${namespace}.entries WHERE starts_with(key, $1)`
      const { rows } = await client.query(sql, [prefix])
      return rows[0].n
    },
    async cleanUp() {
      await client.query(`DROP SCHEMA IF EXISTS ${namespace}, ${namespace}_jobs CASCADE`)
      await client.end()
      await server.stop()
    },
  }
}

// The server's clock may run a little behind the timer of this process.
async function passTime(milliseconds: number): Promise<void> {
  await sleep(milliseconds + 10)
}

function newNamespace(): string {
  return `waymark_test_${randomBytes(6).toString('hex')}`
}
