// The load generator: wrk where it is installed (apt-get install wrk), autocannon otherwise.
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { canPin, hasCommand } from './process.mjs'

const run = promisify(execFile)
const CONNECTIONS = 64

/** Chooses a load generator. */
export function createLoad() {
  return hasCommand('wrk')
    ? { name: 'wrk', run: runWrk }
    : { name: 'autocannon', run: runAutocannon }
}

async function runWrk(port, { path, body }, seconds) {
  const script = join(mkdtempSync(join(tmpdir(), 'waymark-bench-')), 'post.lua')
  writeFileSync(
    script,
    `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [[${body}]]\n`,
  )
  const args = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    `http://127.0.0.1:${port}${path}`,
  ]
  const [command, all] = canPin ? ['taskset', ['-c', '1', 'wrk', ...args]] : ['wrk', args]
  const { stdout } = await run(command, all)
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  return {
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    p50: toMilliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    p99: toMilliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
  }
}

function toMilliseconds(match) {
  return Number(match?.[1]) * { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? 'ms']
}

async function runAutocannon(port, { path, body }, seconds) {
  const { requests, latency, non2xx } = await autocannon({
    url: `http://127.0.0.1:${port}${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    connections: CONNECTIONS,
    duration: seconds,
  })
  if (non2xx > 0) throw new Error(`${non2xx} answers were not 2xx`)
  return { rps: requests.average, requests: requests.total, p50: latency.p50, p99: latency.p99 }
}
