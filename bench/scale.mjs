// How far one store carries many processes: measures the cost of a call here, predicts 1 to 1,000 processes with it, and
// checks the prediction against a real run with 1, 2 and 4 processes on this machine.
// Run: node bench/scale.mjs [redis|postgres …]; the figures of docs/guides/scale.md come from it.
import { fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { simulate } from './scale/simulate.mjs'

const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://root@127.0.0.1:5432/test'
const CALLERS = Number(process.env.CALLERS ?? 32)
const SECONDS = Number(process.env.SECONDS ?? 4)
const NAMESPACE = `waymark_scale_${process.pid}`
const CORES = cpus().length
/** A round trip between machines of one data centre. */
const NETWORK_MS = 0.5
/** Threads that the database machine of the prediction has for queries. */
const DATABASE_CORES = 8
const SHARDS = 6
/** Visits that a call pays to the engine: claim and outcome; lock, number, its record, release. */
const VISITS = { idempotency: 2, lock: 4 }
const PROCESSES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
const wanted = process.argv.slice(2)

const ENGINES = {
  redis: { url: REDIS_URL, cpuMs: redisCpu, clean: cleanRedis },
  postgres: { url: POSTGRES_URL, cpuMs: postgresCpu, clean: cleanPostgres },
}

for (const [name, engine] of Object.entries(ENGINES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const job of Object.keys(VISITS)) await study(name, engine, job)
  await engine.clean()
}

async function study(name, engine, job) {
  const alone = await measure(engine, { job, processes: 1, callers: 1 })
  const busy = await measure(engine, { job, processes: 1, callers: CALLERS })
  // What a call waits for besides work, on this machine: loopback, and for a database its disk.
  const delayMs = Math.max(0, (alone.p50 - alone.processMs - alone.engineMs) / VISITS[job])
  // Calibrated on one process: what it takes per call, with garbage collection and everything the kernel does for it.
  const processMs = 1000 / busy.callsPerSecond
  const steps = toSteps({ processMs, engineMs: busy.engineMs }, VISITS[job])
  console.log(
    `\n${name}, ${job}: ${us(busy.processMs)} of CPU in the process and ${us(busy.engineMs)} in the engine per call (${us(processMs)} by the clock), ${us(delayMs)} of waiting per visit`,
  )
  console.log(`  here, ${CORES} cores for everything, ${CALLERS} calls at a time per process`)
  console.log('  processes   real/s   predicted/s   ratio    real p50   predicted p50')
  for (const processes of [1, 2, 4]) {
    const real = await measure(engine, { job, processes, callers: CALLERS })
    const servers = name === 'redis' ? 1 : CORES
    const model = simulate({
      processes,
      callers: CALLERS,
      steps,
      delayMs,
      cores: CORES,
      engine: { shards: 1, servers },
    })
    console.log(
      `  ${pad(processes, 9)} ${pad(real.callsPerSecond, 8)} ${pad(model.callsPerSecond, 13)} ${pad((model.callsPerSecond / real.callsPerSecond).toFixed(2), 7)} ${pad(`${real.p50.toFixed(1)} ms`, 11)} ${pad(`${model.p50.toFixed(1)} ms`, 15)}`,
    )
  }
  predict(name, steps, delayMs)
}

function predict(name, steps, diskMs) {
  const shapes =
    name === 'redis'
      ? {
          'one Redis': { shards: 1, servers: 1 },
          [`Redis Cluster of ${SHARDS}`]: { shards: SHARDS, servers: 1 },
        }
      : { [`one PostgreSQL, ${DATABASE_CORES} cores`]: { shards: 1, servers: DATABASE_CORES } }
  for (const [title, engine] of Object.entries(shapes)) {
    console.log(`  ${title}, a core for every process, ${NETWORK_MS} ms of network`)
    console.log('  processes    calls/s      p50       p99   engine busy')
    let isFull = false
    for (const processes of PROCESSES) {
      // Beyond the point where the engine is busy all the time, more processes only wait longer.
      if (isFull && processes !== PROCESSES.at(-1)) continue
      const model = simulate({
        processes,
        callers: CALLERS,
        steps,
        delayMs: NETWORK_MS + diskMs,
        engine,
      })
      isFull ||= model.engineUse > 0.995 && processes >= 32
      console.log(
        `  ${pad(processes, 9)} ${pad(model.callsPerSecond, 10)} ${pad(`${model.p50.toFixed(1)} ms`, 10)} ${pad(`${model.p99.toFixed(1)} ms`, 9)} ${pad(`${Math.round(model.engineUse * 100)} %`, 11)}`,
      )
    }
  }
}

/** Work in the process is spread evenly before, between and after its visits to the engine. */
function toSteps({ processMs, engineMs }, visits) {
  const piece = { at: 'process', ms: processMs / (visits + 1) }
  const visit = { at: 'engine', ms: engineMs / visits }
  return [piece, ...Array.from({ length: visits }, () => [visit, piece]).flat()]
}

async function measure({ url, cpuMs }, { job, processes, callers }) {
  const workers = await Promise.all(
    Array.from({ length: processes }, () => startWorker({ url, job, namespace: NAMESPACE })),
  )
  try {
    await Promise.all(workers.map((worker) => worker.run({ callers, seconds: 1 })))
    const before = await cpuMs()
    const started = performance.now()
    const reports = await Promise.all(
      workers.map((worker) => worker.run({ callers, seconds: SECONDS })),
    )
    const elapsed = performance.now() - started
    const engine = (await cpuMs()) - before
    const calls = reports.reduce((sum, report) => sum + report.calls, 0)
    return {
      callsPerSecond: (calls / elapsed) * 1000,
      processMs: reports.reduce((sum, report) => sum + report.cpuMs, 0) / calls,
      engineMs: engine / calls,
      p50: reports[0].p50,
    }
  } finally {
    for (const worker of workers) worker.stop()
  }
}

function startWorker(job) {
  const path = fileURLToPath(new URL('./scale/worker.mjs', import.meta.url))
  return new Promise((resolve, reject) => {
    const child = fork(path, {
      env: { ...process.env, NODE_ENV: 'production', SCALE_JOB: JSON.stringify(job) },
      execArgv: ['--import', 'tsx', '--conditions=waymark-source'],
    })
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)))
    child.once('message', () =>
      resolve({
        run: (order) =>
          new Promise((report) => {
            child.once('message', report)
            child.send(order)
          }),
        stop: () => child.disconnect(),
      }),
    )
  })
}

async function redisCpu() {
  const client = new Redis(REDIS_URL)
  const text = await client.info('cpu')
  client.disconnect()
  const seconds = (name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1] ?? 0)
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1000
}

/** Every connection is a process of its own; the kernel counts in hundredths of a second. */
async function postgresCpu() {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      if (!stat.includes('(postgres)')) continue
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process has ended meanwhile.
    }
  }
  return ticks * 10
}

async function cleanRedis() {
  const client = new Redis(REDIS_URL)
  const stream = client.scanStream({ match: `${NAMESPACE}*`, count: 1000 })
  for await (const keys of stream) if (keys.length > 0) await client.unlink(...keys)
  client.disconnect()
}

async function cleanPostgres() {
  const client = new pg.Client(POSTGRES_URL)
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS "${NAMESPACE}" CASCADE`)
  await client.end()
}

function us(milliseconds) {
  return `${Math.round(milliseconds * 1000)} µs`
}

function pad(value, width) {
  return String(typeof value === 'number' ? Math.round(value) : value).padStart(width)
}
