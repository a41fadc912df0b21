// GET /tools from a static list against a bare node:http server that writes the same bytes, in one run: each its own
// process on core 0, the load on core 1, rounds interleaved. Only ratios mean anything. Goal: at least 0.8 of bare.
import { execFile, execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { report } from './job.mjs'
import { canPin, hasCommand, median, startServer } from './process.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const SECONDS = Number(process.env.SECONDS ?? 2)
const CONNECTIONS = 32
const PATH = '/explorer/tools'
const run = promisify(execFile)

const servers = { bare: startBare, waymark: startWaymark }
if (process.env.ROLE) await servers[process.env.ROLE](makeTools(Number(process.env.TOOLS)))
else await compare()

/** Makes a list like those of real services. */
function makeTools(count) {
  return Array.from({ length: count }, (_, at) => ({
    name: `orders__do_${at}`,
    description: `Does thing number ${at} for whoever asks.`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    annotations: { readOnlyHint: at % 2 === 0 },
  }))
}

async function startBare(tools) {
  const summaries = tools.map(({ name, description, annotations }) => ({
    name,
    description,
    annotations,
  }))
  const bytes = Buffer.from(JSON.stringify(summaries))
  const headers = { 'content-type': 'application/json', 'content-length': bytes.byteLength }
  const server = createServer((_request, response) => {
    response.writeHead(200, headers)
    response.end(bytes)
  })
  server.listen(0, '127.0.0.1', () => report(server))
}

async function startWaymark(tools) {
  const { createToolApi } = await import('../dist/entries/tools.js')
  const { toNodeListener } = await import('../dist/entries/waymark.js')
  const server = createServer(toNodeListener(createToolApi({ tools, call: () => [[], false] })))
  server.listen(0, '127.0.0.1', () => report(server))
}

async function compare() {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  console.log('| tools | bytes | bare requests/s | Waymark requests/s | ratio | CPU ratio |')
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const count of [100, 10_000]) console.log(await compareList(count))
}

async function compareList(count) {
  const rows = []
  for (const ROLE of Object.keys(servers)) {
    const running = await startServer({ file: '../tools', env: { ROLE, TOOLS: String(count) } })
    const body = await (await fetch(`http://127.0.0.1:${running.port}${PATH}`)).text()
    await load(running.port, 1)
    rows.push({ running, body, rps: [], cpu: [] })
  }
  const [bare, waymark] = rows
  if (bare.body !== waymark.body) throw new Error('the two servers answer different bytes')
  for (let round = 0; round < ROUNDS; round += 1) for (const row of rows) await measure(row)
  for (const { running } of rows) running.stop()
  const ratio = (key) => median(waymark[key].map((value, at) => value / bare[key][at])).toFixed(3)
  const speed = ({ rps }) => median(rps).toFixed(0)
  return `| ${count} | ${bare.body.length} | ${speed(bare)} | ${speed(waymark)} | ${ratio('rps')} | x${ratio('cpu')} |`
}

async function measure({ running, rps, cpu }) {
  const before = await running.usage()
  const result = await load(running.port, SECONDS)
  const after = await running.usage()
  rps.push(result.rps)
  cpu.push((after.cpu - before.cpu) / result.requests)
}

async function load(port, seconds) {
  const url = `http://127.0.0.1:${port}${PATH}`
  if (!hasCommand('wrk')) {
    const { requests } = await autocannon({ url, connections: CONNECTIONS, duration: seconds })
    return { rps: requests.average, requests: requests.total }
  }
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, url]
  const [command, all] = canPin ? ['taskset', ['-c', '1', 'wrk', ...args]] : ['wrk', args]
  const { stdout } = await run(command, all)
  if (/Non-2xx/.test(stdout)) throw new Error(stdout)
  return {
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
  }
}
