// Compares what could run jobs on PostgreSQL, in one run: node bench/jobs.mjs [jobs]
// Each library adds the same no-op jobs with an id and a priority, ten at a time, then runs them ten at a time.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createPostgresBackend, withBackend } from 'bullmq'
import { Logger, makeWorkerUtils, run as runGraphile } from 'graphile-worker'
import pg from 'pg'
import PgBoss from 'pg-boss'

const JOBS = Number(process.argv[2] ?? 5000)
const AT_ONCE = 10
const url = process.env.POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/test'

const CANDIDATES = { 'graphile-worker': openGraphile, 'pg-boss': openPgBoss, bullmq: openBullmq }
const rounds = { 'graphile-worker': [], 'pg-boss': [], bullmq: [] }
for (let round = 0; round < 2; round++) {
  for (const [name, open] of Object.entries(CANDIDATES))
    rounds[name].push(await measure(name, open))
}

const best = Object.fromEntries(Object.entries(rounds).map(([name, all]) => [name, pick(all)]))
const base = best['graphile-worker']
console.log(`${JOBS} jobs, best of 2 rounds; ratios to graphile-worker in brackets`)
for (const [name, figure] of Object.entries(best)) {
  const cells = ['add', 'run', 'wake'].map((key) => {
    const unit = key === 'wake' ? 'ms' : '/s'
    return `${key} ${Math.round(figure[key])} ${unit} (${(figure[key] / base[key]).toFixed(2)})`
  })
  console.log(`${name.padEnd(16)} ${cells.join('   ')}   installed ${installedKilobytes(name)} kB`)
}

function pick(all) {
  return {
    add: Math.max(...all.map(({ add }) => add)),
    run: Math.max(...all.map(({ run }) => run)),
    wake: Math.min(...all.map(({ wake }) => wake)),
  }
}

async function measure(name, open) {
  const schema = `bench_${name.replaceAll('-', '_')}_${process.pid}`
  const queue = await open(schema)
  try {
    const added = performance.now()
    let next = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < JOBS) await queue.add(`job-${next++}`)
      }),
    )
    const add = (JOBS * 1000) / (performance.now() - added)
    const seen = new Set()
    let told = () => {}
    const started = performance.now()
    await queue.work((id) => {
      seen.add(id)
      told()
    })
    await until(
      () => seen.size === JOBS,
      (listener) => (told = listener),
    )
    const run = (JOBS * 1000) / (performance.now() - started)
    const waits = []
    for (let index = 0; index < 10; index++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      const asked = performance.now()
      await queue.add(`wake-${index}`)
      await until(
        () => seen.has(`wake-${index}`),
        (listener) => (told = listener),
      )
      waits.push(performance.now() - asked)
    }
    return { add, run, wake: waits.toSorted((a, b) => a - b)[5] }
  } finally {
    await queue.close()
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await client.end()
  }
}

function until(condition, listen) {
  return new Promise((resolve) => {
    listen(() => condition() && resolve())
    if (condition()) resolve()
  })
}

async function openGraphile(schema) {
  const logger = new Logger(() => () => {})
  const pgPool = new pg.Pool({ connectionString: url, max: AT_ONCE + 2 })
  const options = { pgPool, schema, logger, noHandleSignals: true }
  const tools = await makeWorkerUtils(options)
  await tools.migrate()
  let runner
  return {
    add: (id) =>
      tools.addJob('n', { id }, { jobKey: id, jobKeyMode: 'unsafe_dedupe', priority: 5 }),
    async work(told) {
      const taskList = { n: async ({ id }) => told(id) }
      runner = await runGraphile({ ...options, taskList, concurrency: AT_ONCE, pollInterval: 1000 })
    },
    async close() {
      await runner?.stop()
      await tools.release()
      await pgPool.end()
    },
  }
}

async function openPgBoss(schema) {
  const boss = new PgBoss({ connectionString: url, schema, max: AT_ONCE + 2 })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('n')
  let open = true
  let working
  return {
    add: (id) => boss.send('n', { id }, { singletonKey: id, priority: 5 }),
    // boss.work() sleeps at least half a second between batches: 20 jobs a second at this concurrency.
    async work(told) {
      working = (async () => {
        while (open) {
          const jobs = await boss.fetch('n', { batchSize: AT_ONCE })
          for (const { data } of jobs) told(data.id)
          if (jobs.length > 0)
            await boss.complete(
              'n',
              jobs.map(({ id }) => id),
            )
          else await new Promise((resolve) => setTimeout(resolve, 500))
        }
      })()
    },
    async close() {
      open = false
      await working
      await boss.stop({ graceful: false, wait: true })
    },
  }
}

async function openBullmq(schema) {
  const { Queue, Worker } = withBackend(createPostgresBackend)
  const connection = { connectionString: url, schema, migrate: true, max: AT_ONCE }
  const queue = new Queue('n', { connection })
  queue.on('error', () => {})
  await queue.waitUntilReady()
  const removal = { removeOnComplete: true, removeOnFail: true }
  let worker
  return {
    add: (id) => queue.add('n', { id }, { jobId: id, priority: 5, ...removal }),
    async work(told) {
      worker = new Worker('n', async ({ data }) => told(data.id), {
        connection,
        concurrency: AT_ONCE,
      })
      worker.on('error', () => {})
      await worker.waitUntilReady()
    },
    async close() {
      await worker?.close()
      await queue.close()
    },
  }
}

/** Counts the package and everything it needs that a project with pg would not have anyway. */
function installedKilobytes(name) {
  const seen = new Set(['pg'])
  const folders = []
  visit(name, process.cwd())
  return Math.round(folders.reduce((sum, folder) => sum + countBytes(folder), 0) / 1024)

  function visit(dependency, from) {
    if (seen.has(dependency)) return
    seen.add(dependency)
    let folder = from
    while (!existsSync(join(folder, 'node_modules', dependency))) {
      if (folder === '/') return
      folder = join(folder, '..')
    }
    const found = realpathSync(join(folder, 'node_modules', dependency))
    folders.push(found)
    const { dependencies = {} } = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8'))
    for (const next of Object.keys(dependencies)) visit(next, found)
  }
}

function countBytes(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? countBytes(path) : statSync(path).size)
  }, 0)
}
