// Store operations against the bare client doing the same job, interleaved in one run, as ratios.
// Run: npx tsx --conditions=waymark-source bench/stores.mjs [memory|sqlite|redis|postgres|listing …]
// The bare client keeps a value with a time to live and nothing else: no revision, no owner, no listing.
// Goal: at least 0.7 of it. A star marks the bare client sending the commands that the store's script runs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import Database from 'libsql'
import pg from 'pg'
import { createMemoryStore, openStore } from '../src/entries/store.ts'

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/test'
const NAMESPACE = `waymark_bench_${process.pid}`
const VALUE = { status: 'pending', owner: 'c_42', items: [1, 2, 3], note: 'x'.repeat(60) }
const TTL = 600_000
const ROUNDS = 9
const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
const wanted = process.argv.slice(2)
let ids = 0

try {
  const contests = { memory, sqlite, redis, postgres }
  for (const [name, prepare] of Object.entries(contests)) {
    if (wanted.length === 0 || wanted.includes(name)) await contest(name, await prepare())
  }
  if (wanted.length === 0 || wanted.includes('listing')) await printListing()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function contest(name, { store, bare, close }) {
  console.log(`${name}`)
  console.log('  operation       callers   bare/s  store/s  ratio (rounds)     client CPU ratio')
  for (const callers of [1, 64]) {
    for (const operation of Object.keys(bare)) {
      const ours = storeOperations(store)[operation.replace('*', '')]
      const samples = await duel(bare[operation], ours, callers)
      print(operation, callers, samples)
    }
  }
  await store.close()
  await close()
}

function storeOperations(store) {
  return {
    get: { prepare: () => store.put('get', VALUE, { ttl: TTL }), run: () => store.get('get') },
    putIfAbsent: {
      run: (id) => store.putIfAbsent(`new:${id}`, VALUE, { ttl: TTL, owner: 'me' }),
    },
    compareAndSet: swapping(async (key, revision) => {
      if (revision === undefined) return (await store.put(key, VALUE, { ttl: TTL })).revision
      return (await store.compareAndSet(key, VALUE, { revision, ttl: TTL })).revision
    }),
    increment: { run: (id) => store.increment(`count:${id % 100}`, { ttl: TTL }) },
  }
}

/** Each caller has its own key and swaps it from revision to revision. */
function swapping(swap) {
  const revisions = new Map()
  return {
    async run(_, caller) {
      const key = `cas:${caller}`
      revisions.set(key, await swap(key, revisions.get(key)))
    },
  }
}

async function duel(bare, ours, callers) {
  await bare.prepare?.()
  await ours.prepare?.()
  const count = await calibrate(bare, callers)
  await sample(ours, callers, count)
  const samples = []
  for (let round = 0; round < ROUNDS; round++) {
    // The order alternates, so that neither always runs after the other's garbage.
    const first = round % 2 === 0
    const left = await sample(first ? bare : ours, callers, count)
    const right = await sample(first ? ours : bare, callers, count)
    samples.push(first ? { bare: left, ours: right } : { bare: right, ours: left })
  }
  return samples
}

async function calibrate(bare, callers) {
  const { perSecond } = await sample(bare, callers, callers * 50)
  return Math.max(callers * 10, Math.ceil(perSecond * 0.15))
}

async function sample(work, callers, count) {
  let left = count
  const start = performance.now()
  const before = process.cpuUsage()
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (left-- > 0) await work.run(ids++, caller)
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(before)
  return { perSecond: count / seconds, cpu: (user + system) / count }
}

function print(operation, callers, samples) {
  const ratios = samples
    .map(({ bare, ours }) => ours.perSecond / bare.perSecond)
    .sort((a, b) => a - b)
  const bare = median(samples.map((entry) => entry.bare.perSecond))
  const ours = median(samples.map((entry) => entry.ours.perSecond))
  const cpu = median(samples.map((entry) => entry.bare.cpu / entry.ours.cpu))
  const spread = `${ratios[0].toFixed(2)}-${ratios.at(-1).toFixed(2)}`
  console.log(
    `  ${operation.padEnd(14)} ${String(callers).padStart(8)} ${bare.toFixed(0).padStart(8)} ` +
      `${ours.toFixed(0).padStart(8)}  ${median(ratios).toFixed(2)} (${spread})`.padEnd(30) +
      `  ${cpu.toFixed(2)}`,
  )
}

function toText() {
  return JSON.stringify(VALUE)
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

/** For scale only: a Map of JSON text in this process. */
async function memory() {
  const map = new Map()
  const read = async (key) => {
    const text = map.get(key)
    return text === undefined ? undefined : JSON.parse(text)
  }
  const write = async (key) => map.set(key, toText())
  return {
    store: createMemoryStore(),
    close: async () => {},
    bare: {
      get: { prepare: () => write('get'), run: () => read('get') },
      putIfAbsent: { run: (id) => write(`new:${id % 10_000}`) },
      compareAndSet: { run: (_, caller) => write(`cas:${caller}`) },
      increment: { run: async (id) => map.set(id % 100, (map.get(id % 100) ?? 0) + 1) },
    },
  }
}

async function sqlite() {
  const database = new Database(join(folder, 'bare.db'), { timeout: 5000 })
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE t (key TEXT PRIMARY KEY, value TEXT, revision INTEGER, ends INTEGER)`)
  const get = database.prepare('SELECT value FROM t WHERE key = ? AND ends > ?')
  const put = database.prepare('INSERT OR REPLACE INTO t VALUES (?, ?, 1, ?)')
  const absent = database.prepare('INSERT INTO t VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING')
  const swap = database.prepare(
    'UPDATE t SET value = ?, revision = revision + 1, ends = ? WHERE key = ? AND revision = ?',
  )
  const count = database.prepare(
    `INSERT INTO t VALUES (?, '1', 1, ?) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value`,
  )
  return {
    store: await openStore(`sqlite:${join(folder, 'store.db')}`),
    close: async () => database.close(),
    bare: {
      get: {
        prepare: async () => put.run('get', toText(), Date.now() + TTL),
        run: async () => JSON.parse(get.get('get', Date.now()).value),
      },
      putIfAbsent: { run: async (id) => absent.run(`new:${id}`, toText(), Date.now() + TTL) },
      compareAndSet: swapping(async (key, revision) => {
        if (revision === undefined) put.run(key, toText(), Date.now() + TTL)
        else swap.run(toText(), Date.now() + TTL, key, revision)
        return (revision ?? 0) + 1
      }),
      increment: { run: async (id) => count.get(`count:${id % 100}`, Date.now() + TTL) },
    },
  }
}

async function redis() {
  const client = new Redis(REDIS_URL)
  const key = (name) => `${NAMESPACE}:bare:${name}`
  client.defineCommand('swap', {
    numberOfKeys: 1,
    lua: `if redis.call('HGET', KEYS[1], 'r') ~= ARGV[2] then return 0 end
      redis.call('HSET', KEYS[1], 'v', ARGV[1], 'r', ARGV[2] + 1)
      return redis.call('PEXPIRE', KEYS[1], ARGV[3])`,
  })
  return {
    store: await openStore(REDIS_URL, { namespace: NAMESPACE }),
    async close() {
      client.disconnect()
      await forgetRedis()
    },
    bare: {
      get: {
        prepare: () => client.set(key('get'), toText(), 'PX', TTL),
        run: async () => JSON.parse(await client.get(key('get'))),
      },
      'get*': { run: () => client.multi().get(key('get')).pttl(key('get')).exec() },
      putIfAbsent: { run: (id) => client.set(key(id), toText(), 'PX', TTL, 'NX') },
      'putIfAbsent*': {
        run: (id) =>
          client
            .multi()
            .incr(key('revision'))
            .set(key(id), toText(), 'PX', TTL, 'NX')
            .zadd(key('keys'), 0, `new:${id}`)
            .exec(),
      },
      compareAndSet: swapping(async (name, revision) => {
        if (revision === undefined) await client.hset(key(name), 'v', toText(), 'r', 1)
        else await client.swap(key(name), toText(), revision, TTL)
        return (revision ?? 0) + 1
      }),
      increment: {
        run: (id) =>
          client
            .multi()
            .incr(key(`count:${id % 100}`))
            .pexpire(key(`count:${id % 100}`), TTL, 'NX')
            .exec(),
      },
    },
  }
}

async function forgetRedis() {
  const client = new Redis(REDIS_URL)
  for await (const keys of client.scanStream({ match: `${NAMESPACE}:*`, count: 1000 })) {
    if (keys.length > 0) await client.unlink(...keys)
  }
  client.disconnect()
}

async function postgres() {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL })
  const schema = `${NAMESPACE}_bare`
  await pool.query(`CREATE SCHEMA ${schema}`)
  await pool.query(`CREATE TABLE ${schema}.t
    (key text PRIMARY KEY, value text, revision bigint, ends timestamptz)`)
  const ends = (at) => `now() + $${at}::float8 * interval '1 millisecond'`
  const query = (name, text) => (values) => pool.query({ name, text, values })
  const get = query('get', `SELECT value FROM ${schema}.t WHERE key = $1 AND ends > now()`)
  const absent = query(
    'absent',
    `INSERT INTO ${schema}.t VALUES ($1, $2, 1, ${ends(3)}) ON CONFLICT DO NOTHING`,
  )
  const swap = query(
    'swap',
    `UPDATE ${schema}.t SET value = $2, revision = revision + 1, ends = ${ends(3)}
      WHERE key = $1 AND revision = $4`,
  )
  const count = query(
    'count',
    `INSERT INTO ${schema}.t AS t VALUES ($1, '1', 1, ${ends(2)})
      ON CONFLICT (key) DO UPDATE SET value = t.value::bigint + 1 RETURNING value`,
  )
  return {
    store: await openStore(POSTGRES_URL, { namespace: NAMESPACE }),
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${NAMESPACE} CASCADE`)
      await pool.end()
    },
    bare: {
      get: {
        prepare: () => absent(['get', toText(), TTL]),
        run: async () => JSON.parse((await get(['get'])).rows[0].value),
      },
      putIfAbsent: { run: (id) => absent([`new:${id}`, toText(), TTL]) },
      compareAndSet: swapping(async (key, revision) => {
        if (revision === undefined) await absent([key, toText(), TTL])
        else await swap([key, toText(), TTL, revision])
        return (revision ?? 0) + 1
      }),
      increment: { run: (id) => count([`count:${id % 100}`, TTL]) },
    },
  }
}

/** A page in the middle of few and of many entries: the cost must not grow. */
async function printListing() {
  const urls = ['memory:', `sqlite:${join(folder, 'listing.db')}`, REDIS_URL, POSTGRES_URL]
  const sizes = [100, 100_000]
  console.log('listing: milliseconds for a page of 50, starting in the middle')
  for (const url of urls) {
    const store = await openStore(url, { namespace: NAMESPACE })
    const times = []
    for (const size of sizes) {
      await fill(store, size)
      times.push(await timePage(store, size))
    }
    const cells = sizes.map((size, at) => `${size} entries ${times[at].toFixed(2)}`)
    console.log(
      `  ${store.kind.padEnd(9)} ${cells.join('   ')}   ratio ${(times[1] / times[0]).toFixed(2)}`,
    )
    await store.close()
  }
  await forgetRedis()
  const client = new pg.Client(POSTGRES_URL)
  await client.connect()
  await client.query(`DROP SCHEMA ${NAMESPACE} CASCADE`)
  await client.end()
}

async function fill(store, size) {
  for (let at = 0; at < size; at += 500) {
    const part = Array.from({ length: Math.min(500, size) }, (_, step) =>
      store.put(name(size, at + step), VALUE, { ttl: TTL }),
    )
    await Promise.all(part)
  }
}

async function timePage(store, size) {
  const prefix = `op:${size}:`
  const cursor = Buffer.from(name(size, size / 2 - 25)).toString('base64url')
  const times = []
  for (let round = 0; round < 41; round++) {
    const start = performance.now()
    const { entries } = await store.listByPrefix(prefix, { limit: 50, cursor })
    times.push(performance.now() - start)
    if (entries.length !== 50) throw new Error('the page must be full')
  }
  return median(times)
}

function name(size, at) {
  return `op:${size}:${String(at).padStart(8, '0')}`
}
