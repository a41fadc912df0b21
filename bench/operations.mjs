// One page of operations out of 100,000 against one out of 100, interleaved in one run, as ratios.
// Run: npx tsx --conditions=waymark-source bench/operations.mjs [memory|sqlite|redis|postgres …]
// PostgreSQL is filled in bulk: what the operation store writes goes to a memory store first, and from there a thousand rows
// to a statement; 100,000 operations one by one would be 300,000 transactions.
// Goal: at most 1.5 times the time of the short list, at its beginning and in its middle.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createMemoryStore, openStore } from '../src/entries/store.ts'
import { createOperationId } from '../src/extensions/async/functions.ts'
import { OPERATION_KEYS } from '../src/extensions/async/record.ts'
import { createOperationStore } from '../src/extensions/async/store.ts'
import { newestFirst } from '../src/store/store.ts'

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/test'
const NAMESPACE = `waymark_bench_${process.pid}`
const FEW = 100
const MANY = Number(process.env.MANY ?? 100_000)
const ROUNDS = 9
const PAGES = 30
const TTL = 600_000
const START = Date.parse('2027-01-01T00:00:00Z')
const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
const wanted = process.argv.slice(2)

const STORES = {
  memory: async () => ({ store: createMemoryStore(), close: async () => {} }),
  sqlite: async () => ({
    store: await openStore(`sqlite:${join(folder, 'state.db')}`),
    close: async () => {},
  }),
  redis: async () => ({
    store: await openStore(REDIS_URL, { namespace: NAMESPACE }),
    close: clearRedis,
  }),
  postgres: async () => ({
    store: await openStore(POSTGRES_URL, { namespace: NAMESPACE }),
    ...(await preparePostgres()),
  }),
}

try {
  console.log(`store     few=${FEW}/ms  many=${MANY}/ms  ratio (rounds)      middle  filtered`)
  for (const [name, open] of Object.entries(STORES)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure(name, await open())
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(name, { store, close, copy }) {
  await fill(store, 'few', FEW, copy)
  const ids = await fill(store, 'many', MANY, copy)
  const middle = `${newestFirst(START + MANY / 2)}:${ids[MANY / 2]}`
  const page = { few: { owner: 'few', limit: 50 }, many: { owner: 'many', limit: 50 } }
  const samples = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const few = await time(store, page.few)
    const many = await time(store, page.many)
    const inside = await time(store, { ...page.many, cursor: middle })
    // Every operation matches: the filter costs its look at the status, not the length of the list.
    const filtered = await time(store, { ...page.many, status: 'pending' })
    samples.push({ few, many, inside, filtered })
  }
  const ratios = (member) =>
    samples.map((sample) => sample[member] / sample.few).sort((a, b) => a - b)
  const of = (member) => median(samples.map((sample) => sample[member])).toFixed(2)
  const [low, mid, high] = [0, ROUNDS >> 1, ROUNDS - 1].map((at) => ratios('many')[at].toFixed(2))
  const rest = ['inside', 'filtered'].map((member) => median(ratios(member)).toFixed(2))
  console.log(
    `${name.padEnd(9)} ${of('few').padStart(10)} ${of('many').padStart(15)}  ${mid} (${low} to ${high})  ${rest.join('     ')}`,
  )
  await close(store)
  await store.close()
}

/** Writes operations as a service does, through the store or by way of a memory store that is then copied. */
async function fill(store, owner, count, copy) {
  const ids = Array.from({ length: count }, (_, at) => createOperationId(START + at))
  for (let at = 0; at < count; at += 1000) {
    const part = ids.slice(at, at + 1000)
    if (copy === undefined) await write(store, { owner, ids: part, at })
    else {
      const passing = createMemoryStore()
      await write(passing, { owner, ids: part, at })
      await copy(passing)
      await passing.close()
    }
  }
  return ids
}

async function write(store, { owner, ids, at }) {
  const operations = createOperationStore(store, { retentionMs: TTL, openMs: TTL })
  const target = { function: 'reports.build', version: '1.0.0' }
  const record = { owner, ...target, status: 'pending', request: 'req_1' }
  await Promise.all(
    ids.map((id, offset) => operations.create({ ...record, id, accepted: START + at + offset })),
  )
}

async function time(store, query) {
  const start = performance.now()
  const operations = createOperationStore(store, { retentionMs: TTL, openMs: TTL })
  const { owner, status, ...part } = query
  const matches = (record) => status === undefined || record.status === status
  for (let page = 0; page < PAGES; page += 1) {
    const { items } = await operations.page(OPERATION_KEYS.listOf(owner), { ...part, matches })
    if (items.length !== 50) throw new Error(`${items.length} operations on a page`)
  }
  return (performance.now() - start) / PAGES
}

function median(values) {
  return [...values].sort((left, right) => left - right)[values.length >> 1]
}

async function clearRedis() {
  const client = new Redis(REDIS_URL)
  for await (const keys of client.scanStream({ match: `${NAMESPACE}*`, count: 5000 })) {
    if (keys.length > 0) await client.unlink(...keys)
  }
  for await (const keys of client.scanStream({ match: `{${NAMESPACE}*`, count: 5000 })) {
    if (keys.length > 0) await client.unlink(...keys)
  }
  client.disconnect()
}

async function preparePostgres() {
  const client = new pg.Client(POSTGRES_URL)
  await client.connect()
  const table = `"${NAMESPACE}".entries`
  const insert = `insert into ${table} (key, value, owner, expires_at, revision)
    select key, value, owner, statement_timestamp() + ttl * interval '1 millisecond',
      nextval('"${NAMESPACE}".revisions')
    from unnest($1::text[], $2::text[], $3::text[], $4::float8[]) as t (key, value, owner, ttl)`
  return {
    async copy(from) {
      for (let cursor, more = true; more; more = cursor !== undefined) {
        const page = await from.listByPrefix('', { limit: 1000, ...(cursor && { cursor }) })
        const column = (read) => page.entries.map(read)
        await client.query(insert, [
          column(({ key }) => key),
          column(({ value }) => JSON.stringify(value)),
          column(({ owner }) => owner),
          column(({ ttl }) => ttl),
        ])
        cursor = page.cursor
      }
    },
    async close() {
      await client.query(`drop schema if exists "${NAMESPACE}" cascade`)
      await client.end()
    },
  }
}
