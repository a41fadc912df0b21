// Servers as processes on one core, the load on another, and what each of them used of its core.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isRight } from './catalog.mjs'
import { toArguments, WRONG } from './job.mjs'

const SERVER_CORE = process.env.SERVER_CPU ?? '0'
const LOAD_CORE = process.env.LOAD_CPU ?? '1'
const HERE = fileURLToPath(new URL('.', import.meta.url))
const run = promisify(execFile)
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
let port = Number(process.env.BASE_PORT ?? 18_200)

/** Ends with a hint where a program is missing. */
export function assertPrograms() {
  for (const name of ['wrk', 'taskset', 'curl']) {
    try {
      execFileSync('which', [name], { stdio: 'ignore' })
    } catch {
      throw new Error(`the benchmark needs ${name}: apt-get install wrk util-linux curl`)
    }
  }
}

/** Starts a program on the core of servers; `ready` of its output resolves with its process id. */
export function startProgram(args, env, ready) {
  const child = spawn('taskset', ['-c', SERVER_CORE, process.execPath, ...args], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return new Promise((resolve, reject) => {
    let out = ''
    let problem = ''
    child.stderr.on('data', (chunk) => {
      problem += chunk
    })
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (ready.test(out)) resolve({ child, pid: child.pid })
    })
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${problem}`)))
  })
}

/** Starts a server and proves that it answers rightly and refuses wrong arguments. */
export async function open(spec) {
  port += 1
  const server = await startProgram(
    [join(HERE, 'servers', `${spec.file}.mjs`)],
    { ...spec.env, PORT: String(port) },
    /ready/,
  )
  const opened = { ...server, spec, base: `http://127.0.0.1:${port}` }
  const input = toArguments(7)
  if (spec.bodies === undefined) {
    if (!isRight(await ask(opened, input), input))
      throw new Error(`${spec.name} gives a wrong answer`)
    for (const wrong of WRONG) {
      if ((await ask(opened, wrong)) !== undefined)
        throw new Error(`${spec.name} takes wrong arguments`)
    }
  }
  return opened
}

export async function ask({ base, spec }, input) {
  const body = JSON.stringify(spec.body(input, 7))
  const answer = await fetch(base + spec.path, { method: 'POST', headers: spec.headers, body })
  return spec.result(await answer.json())
}

export function stop({ child }) {
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
}

/** CPU seconds that a process has used, with all of its threads. */
export function cpuOf({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The most memory that a process has had, in MiB. */
export function peakOf({ pid }) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Sends requests with wrk for some seconds. */
export async function load({ base, spec, pid }, seconds, connections = 32) {
  const file = join(tmpdir(), `waymark-bench-${process.pid}-${pid}.txt`)
  const headers = Object.entries(spec.headers).map(([name, value]) => `${name}: ${value}`)
  const bodies = Array.from({ length: spec.bodies ?? 1_024 }, (_, index) =>
    JSON.stringify(spec.body(toArguments(index), index)),
  )
  writeFileSync(file, [spec.path, ...headers, '', ...bodies, ''].join('\n'))
  const options = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '20s',
    '-s',
    join(HERE, 'post.lua'),
  ]
  const { stdout } = await run('taskset', ['-c', LOAD_CORE, 'wrk', ...options, base, '--', file])
  const result = JSON.parse(/RESULT (\{.*\})/.exec(stdout)[1])
  const failed = result.connect + result.read + result.write + result.status + result.timeout
  if (failed > 0) throw new Error(`${spec.name}: ${failed} requests failed`)
  return result.requests
}

/** Microseconds of CPU per request of two servers that share a core at the same time. */
export async function duel(left, right, seconds, connections) {
  const before = [cpuOf(left), cpuOf(right)]
  const requests = await Promise.all([
    load(left, seconds, connections),
    load(right, seconds, connections),
  ])
  return [left, right].map(
    (server, index) => ((cpuOf(server) - before[index]) / requests[index]) * 1e6,
  )
}

/** Reads a whole answer with curl. */
export async function readAll(url, headers, body) {
  const options = ['-sN', '-o', '/dev/null', '-w', '%{size_download}', '-X', 'POST', '-d', body]
  for (const [name, value] of Object.entries(headers)) options.push('-H', `${name}: ${value}`)
  const { stdout } = await run('taskset', ['-c', LOAD_CORE, 'curl', ...options, url])
  return Number(stdout)
}

export function median(values) {
  const sorted = [...values].sort((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The middle of some values, with the lowest and highest. */
export function withSpread(values, digits) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}
