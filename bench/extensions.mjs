// What extensions cost: each one on a memory store as a ratio to the plain call, and idempotent calls and locks per second
// on every store against the bare client, interleaved in one run. The bare client does nothing but the store commands; ours
// is a whole call, bytes in and text out. Both have the same callers, each waiting for its own answers, on one connection
// (PostgreSQL: one pool of ten). Every side is warmed up by a whole round that does not count, and what a caller would
// send is made before the clock starts: neither is a cost of the store or of ours.
//   same: the bare client sends the very scripts and statements of the store, one operation each, as many visits as ours
//   lean: the bare client sends the least that makes a claim and settles it: no revision, no index to list by
// Run: npm run build && node bench/extensions.mjs [cost|sqlite|redis|postgres …]; WAYMARK_DIST names another build.
// Not from the sources with tsx: its bookkeeping of function names costs more than the extensions.
// Goal: at least 0.7 of the bare client doing the same commands.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Redis } from 'ioredis'
import Database from 'libsql'
import pg from 'pg'
import { tsImport } from 'tsx/esm/api'

const DIST = resolve(process.env.WAYMARK_DIST ?? 'dist')
const load = (file) => import(pathToFileURL(join(DIST, file)).href)
const { createForrstHandler, createService, defineFunction, statefulExtensions } =
  await load('entries/waymark.js')
const { createMemoryStore, openStore } = await load('entries/store.js')
// What the bare client sends is text of the sources; the bundle does not export it.
const { SCRIPTS } = await tsImport('../src/store/redis/scripts.ts', import.meta.url)
const { buildPostgresQueries } = await tsImport('../src/store/postgres/schema.ts', import.meta.url)

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/test'
const NAMESPACE = `waymark_bench_ext_${process.pid}`
const TTL = 600_000
const CALLERS = 64
const ROUNDS = 7
/** How long the bare client works in one round, about. */
const SECONDS = 0.25
const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
const wanted = process.argv.slice(2)
const wants = (name) => wanted.length === 0 || wanted.includes(name)
const minute = { value: 1, unit: 'minute' }
const NO_SIGNAL = new AbortController().signal
let ids = 0
const CLAIM = { hash: `sha256:${'x'.repeat(64)}`, request: 'req_1', run: crypto.randomUUID() }
const RUNNING = JSON.stringify({ state: 'running', ...CLAIM })
const DONE = JSON.stringify({
  state: 'done',
  ...CLAIM,
  at: Date.now(),
  outcome: { ok: true, result: { id: 'ord_1', status: 'pending', total: 19 } },
})

try {
  if (wants('cost')) await printCosts()
  for (const [name, prepare] of Object.entries({ sqlite, redis, postgres })) {
    if (wants(name)) await contest(name, await prepare())
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function createOrders(extensions) {
  const declaration = [{ urn: 'urn:forrst:ext:caching', ttl: 300 }]
  const handler = () => ({ id: 'ord_1', status: 'pending', total: 19 })
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      defineFunction({ name: 'orders.create', version: '1.0.0', handler }),
      defineFunction({
        name: 'orders.get',
        version: '1.0.0',
        readOnly: true,
        extensions: declaration,
        handler,
      }),
    ],
    defaults: false,
    extensions,
    unknownArguments: 'ignore',
    validateResults: false,
    log: { warn() {}, error: console.error },
  })
  return createForrstHandler(service)
}

/** Writes a call as the bytes that a caller sends. */
function toBytes(entry, name = 'orders.create') {
  const document = {
    protocol: { name: 'forrst', version: '0.1.0' },
    id: `req_${ids++}`,
    call: { function: name, version: '1.0.0', arguments: { customer_id: 'c_42', amount: 5 } },
    context: { caller: 'bench' },
    ...(entry && { extensions: [{ urn: `urn:forrst:ext:${entry[0]}`, options: entry[1] }] }),
  }
  return Buffer.from(JSON.stringify(document))
}

/** Sends a call through the surface, bytes in, text out. */
function send(handle, body) {
  const response = handle({
    method: 'POST',
    path: '/forrst',
    query: '',
    header: (header) => (header === 'content-type' ? 'application/json' : undefined),
    body,
    bodyTooLarge: false,
    signal: () => NO_SIGNAL,
  })
  return response instanceof Promise ? response.then(assertDone) : assertDone(response)
}

function assertDone({ status, body }) {
  if (status !== 200) throw new Error(`a call failed: ${body}`)
}

async function printCosts() {
  const store = createMemoryStore()
  const only = (options) => {
    const off = { idempotency: false, atomicLock: false, caching: false, cancellation: false }
    return statefulExtensions({ store, ...off, maintenance: false, priority: false, ...options })
  }
  const plain = createOrders([])
  const unlimited = { limit: Number.MAX_SAFE_INTEGER, window: minute }
  const quota = { type: 'requests', name: 'calls', limit: 2 ** 50, period: 'month' }
  const rows = {
    maintenance: [only({ maintenance: {} })],
    'rate limit': [only({ rateLimit: { policies: [{ scope: 'user', ...unlimited }] } })],
    quota: [only({ quota: { quotas: [quota] } })],
    'priority (64 slots)': [
      only({ priority: { concurrency: 64 } }),
      () => ['priority', { level: 'high' }],
    ],
    cancellation: [only({ cancellation: {} }), (id) => ['cancellation', { token: `t${id}` }]],
    'caching (kept result)': [only({ caching: {} }), () => ['caching', {}], 'orders.get'],
    'idempotency (new key)': [
      only({ idempotency: {} }),
      (id) => ['idempotency', { key: `k${id}` }],
    ],
    'idempotency (repeated)': [only({ idempotency: {} }), () => ['idempotency', { key: 'same' }]],
    'atomic lock': [
      only({ atomicLock: {} }),
      (id) => ['atomic-lock', { key: `l${id}`, ttl: minute }],
    ],
  }
  console.log('cost of one call on a memory store, one caller (time of the plain call = 1)')
  console.log('  extension                 plain/s    with/s  times (lowest-highest of rounds)')
  for (const [name, [extensions, entry, target]] of Object.entries(rows)) {
    const handle = createOrders(extensions)
    const bare = { make: () => toBytes(undefined, target), run: (body) => send(plain, body) }
    const ours = { make: (id) => toBytes(entry?.(id), target), run: (body) => send(handle, body) }
    const samples = await duel(bare, ours, 1)
    print(name.padEnd(23), samples, (sample) => sample.bare / sample.ours)
  }
  await store.close()
}

async function contest(name, { store, bare, close }) {
  const off = { caching: false, cancellation: false, maintenance: false, priority: false }
  const handle = createOrders(statefulExtensions({ store, ...off }))
  console.log(`${name}, ${CALLERS} callers`)
  console.log(
    '  job                      client    bare/s    ours/s  ratio (lowest-highest of rounds)',
  )
  const jobs = {
    'idempotent call': ['idempotency', (id) => ({ key: `k${id}` })],
    'lock and release': ['atomic-lock', (id) => ({ key: `l${id}`, ttl: minute })],
  }
  for (const [job, [urn, options]] of Object.entries(jobs)) {
    const ours = {
      make: (id) => toBytes([urn, options(id)]),
      run: (body) => send(handle, body),
    }
    for (const [client, jobsOfClient] of Object.entries(bare)) {
      const samples = await duel({ make: (id) => id, run: jobsOfClient[urn] }, ours, CALLERS)
      print(`${job.padEnd(24)} ${client}`, samples, (sample) => sample.ours / sample.bare)
    }
  }
  await store.close()
  await close()
}

async function duel(bare, ours, callers) {
  const perSecond = await sample(bare, callers, callers * 50)
  const count = Math.max(callers * 10, Math.ceil(perSecond * SECONDS))
  for (const side of [ours, bare]) await sample(side, callers, count)
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

async function sample(work, callers, count) {
  const requests = Array.from({ length: count }, () => work.make(ids++))
  let next = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < count) await work.run(requests[next++])
    }),
  )
  return (count / (performance.now() - start)) * 1000
}

function print(label, samples, toRatio) {
  const ratios = samples.map(toRatio).sort((a, b) => a - b)
  const bare = median(samples.map((entry) => entry.bare)).toFixed(0)
  const ours = median(samples.map((entry) => entry.ours)).toFixed(0)
  const spread = `${ratios[0].toFixed(2)}-${ratios.at(-1).toFixed(2)}`
  console.log(
    `  ${label} ${bare.padStart(9)} ${ours.padStart(9)}  ${median(ratios).toFixed(2)} (${spread})`,
  )
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

async function sqlite() {
  const database = new Database(join(folder, 'bare.db'), { timeout: 5000 })
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE t (key TEXT PRIMARY KEY, value TEXT, owner TEXT, ends INTEGER);
    CREATE TABLE s (name TEXT PRIMARY KEY, value INTEGER)`)
  const absent = database.prepare('INSERT INTO t VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const swap = database.prepare('UPDATE t SET value = ?, ends = ? WHERE key = ? AND owner = ?')
  const remove = database.prepare('DELETE FROM t WHERE key = ? AND owner = ?')
  const next = database.prepare(
    'INSERT INTO s VALUES (?, 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value',
  )
  const ends = () => Date.now() + TTL
  return {
    store: await openStore(`sqlite:${join(folder, 'store.db')}`),
    close: async () => database.close(),
    bare: {
      same: sqliteSame(database),
      lean: {
        async idempotency(id) {
          absent.run(`k${id}`, RUNNING, 'me', ends())
          swap.run(DONE, ends(), `k${id}`, 'me')
        },
        async 'atomic-lock'(id) {
          absent.run(`l${id}`, RUNNING, 'me', ends())
          next.get(`n${id % 64}`)
          swap.run(RUNNING, ends(), `l${id}`, 'me')
          remove.run(`l${id}`, 'me')
        },
      },
    },
  }
}

/** The statements of the store, each step in a transaction of its own. */
function sqliteSame(database) {
  database.exec(`CREATE TABLE e (revision INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
      value TEXT NOT NULL, owner TEXT, expires_at INTEGER);
    CREATE INDEX e_expiry ON e (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE n (id INTEGER PRIMARY KEY, value INTEGER); INSERT INTO n VALUES (1, 0)`)
  const find = database
    .prepare('SELECT key, value, revision, owner, expires_at FROM e WHERE key = ?')
    .raw()
  const save = database.prepare(
    'INSERT OR REPLACE INTO e (key, value, owner, expires_at) VALUES (?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM e WHERE key = ?')
  const next = database.prepare('UPDATE n SET value = value + 1 WHERE id = 1 RETURNING value').raw()
  const step = (work) => {
    database.exec('BEGIN IMMEDIATE')
    work()
    database.exec('COMMIT')
  }
  const write = (key, text) =>
    step(() => {
      find.get(key)
      save.run(key, text, 'me', Date.now() + TTL)
    })
  return {
    async idempotency(id) {
      write(`k${id}`, RUNNING)
      write(`k${id}`, DONE)
    },
    async 'atomic-lock'(id) {
      write(`l${id}`, RUNNING)
      step(() => next.get())
      write(`l${id}`, RUNNING)
      step(() => {
        find.get(`l${id}`)
        remove.run(`l${id}`)
      })
    },
  }
}

async function redis() {
  const client = new Redis(REDIS_URL)
  const key = (name) => `${NAMESPACE}:bare:${name}`
  const guarded = (command) =>
    `if redis.call('HGET', KEYS[1], 'o') ~= ARGV[1] then return 0 end ${command}`
  client.defineCommand('absent', {
    numberOfKeys: 1,
    lua: `if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
      redis.call('HSET', KEYS[1], 'o', ARGV[1], 'v', ARGV[2])
      return redis.call('PEXPIRE', KEYS[1], ARGV[3])`,
  })
  client.defineCommand('swap', {
    numberOfKeys: 1,
    lua: guarded(`redis.call('HSET', KEYS[1], 'v', ARGV[2])
      return redis.call('PEXPIRE', KEYS[1], ARGV[3])`),
  })
  client.defineCommand('remove', {
    numberOfKeys: 1,
    lua: guarded(`return redis.call('DEL', KEYS[1])`),
  })
  return {
    store: await openStore(REDIS_URL, { namespace: NAMESPACE }),
    async close() {
      for await (const keys of client.scanStream({ match: `${NAMESPACE}:*`, count: 1000 })) {
        if (keys.length > 0) await client.unlink(...keys)
      }
      client.disconnect()
    },
    bare: {
      same: await redisSame(client, key),
      lean: {
        async idempotency(id) {
          await client.absent(key(`k${id}`), 'me', RUNNING, TTL)
          await client.swap(key(`k${id}`), 'me', DONE, TTL)
        },
        async 'atomic-lock'(id) {
          await client.absent(key(`l${id}`), 'me', RUNNING, TTL)
          await client.incr(key(`n${id % 64}`))
          await client.swap(key(`l${id}`), 'me', RUNNING, TTL)
          await client.remove(key(`l${id}`), 'me')
        },
      },
    },
  }
}

/** The script of the store, one operation at a time. */
async function redisSame(client, key) {
  const sha = await client.script('LOAD', SCRIPTS.operate.lua)
  const operate = (operation, name, ...args) =>
    client.evalsha(sha, 3, key('keys'), key('revision'), key(`e:${name}`), operation, name, ...args)
  const put = (name, text) => operate('putIfAbsent', name, text, 'me', TTL)
  const swap = (name, text, revision) =>
    operate('compareAndSet', name, text, '', TTL, revision, '1')
  return {
    async idempotency(id) {
      const name = `idempotency:${String(id).padStart(64, '0')}`
      await swap(name, DONE, await put(name, RUNNING))
    },
    async 'atomic-lock'(id) {
      const name = `lock:forrst_lock:orders.create:l${id}`
      const revision = await put(name, RUNNING)
      await operate('next', 'sequence')
      await swap(name, RUNNING, revision)
      await operate('deleteIfOwner', name, 'me')
    },
  }
}

async function postgres() {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL })
  const schema = `${NAMESPACE}_bare`
  await pool.query(`CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.t (key text PRIMARY KEY, value text, owner text, ends timestamptz);
    CREATE TABLE ${schema}.s (name text PRIMARY KEY, value bigint)`)
  const ends = (at) => `now() + $${at}::float8 * interval '1 millisecond'`
  const query = (name, text) => (values) => pool.query({ name, text, values })
  const absent = query(
    'absent',
    `INSERT INTO ${schema}.t VALUES ($1, $2, $3, ${ends(4)}) ON CONFLICT DO NOTHING`,
  )
  const swap = query(
    'swap',
    `UPDATE ${schema}.t SET value = $2, ends = ${ends(4)} WHERE key = $1 AND owner = $3`,
  )
  const remove = query('remove', `DELETE FROM ${schema}.t WHERE key = $1 AND owner = $2`)
  const next = query(
    'next',
    `INSERT INTO ${schema}.s AS s VALUES ($1, 1)
      ON CONFLICT (name) DO UPDATE SET value = s.value + 1 RETURNING value`,
  )
  return {
    store: await openStore(POSTGRES_URL, { namespace: NAMESPACE }),
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${NAMESPACE} CASCADE`)
      await pool.end()
    },
    bare: {
      same: postgresSame(pool),
      lean: {
        async idempotency(id) {
          await absent([`k${id}`, RUNNING, 'me', TTL])
          await swap([`k${id}`, DONE, 'me', TTL])
        },
        async 'atomic-lock'(id) {
          await absent([`l${id}`, RUNNING, 'me', TTL])
          await next([`n${id % 64}`])
          await swap([`l${id}`, RUNNING, 'me', TTL])
          await remove([`l${id}`, 'me'])
        },
      },
    },
  }
}

/** The statements of the store, in its schema, on a plain pool. */
function postgresSame(pool) {
  const queries = buildPostgresQueries(NAMESPACE)
  const query = async (name, values) => {
    const { rows } = await pool.query({
      name: `same.${name}`,
      text: queries[name],
      values,
      rowMode: 'array',
    })
    return rows[0]
  }
  const put = async (key, text) => (await query('putIfAbsent', [key, text, 'me', TTL]))[2]
  const swap = (key, text, revision) =>
    query('compareAndSet', [key, text, null, TTL, true, false, revision])
  return {
    async idempotency(id) {
      const key = `same:${String(id).padStart(64, '0')}`
      await swap(key, DONE, await put(key, RUNNING))
    },
    async 'atomic-lock'(id) {
      const key = `same:lock:orders.create:l${id}`
      const revision = await put(key, RUNNING)
      await query('next', [id % 1024])
      await swap(key, RUNNING, revision)
      await query('deleteIfOwner', [key, 'me'])
    },
  }
}
