// Compares servers doing one validated call, side by side in one run: each its own process on core 0, the load on
// core 1, rounds interleaved so that noise hits all alike. Only ratios mean anything. Writes bench/RESULTS.md.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { REQUEST } from './job.mjs'
import { createLoad } from './load.mjs'
import { median, startServer } from './process.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const SECONDS = Number(process.env.SECONDS ?? 2)
const INPUT = JSON.stringify(JSON.parse(REQUEST).call.arguments)
const RPC = `{"jsonrpc":"2.0","id":"req_7Q2","method":"orders.create","params":${INPUT}}`
const SERVERS = [
  { name: 'raw node:http, hand checks', file: 'raw', path: '/forrst', body: REQUEST },
  { name: 'raw again (noise floor)', file: 'raw', path: '/forrst', body: REQUEST },
  { name: 'Waymark', file: 'waymark', path: '/forrst', body: REQUEST },
  {
    name: 'Waymark, 10,000 functions',
    file: 'waymark',
    path: '/forrst',
    body: REQUEST,
    env: { FUNCTIONS: '10000' },
  },
  { name: 'json-rpc-2.0 + Ajv', file: 'json-rpc', path: '/', body: RPC },
  { name: 'Fastify + Ajv', file: 'fastify', path: '/forrst', body: REQUEST },
  { name: 'Hono + Zod', file: 'hono', path: '/forrst', body: REQUEST },
  { name: 'oRPC + Zod', file: 'orpc', path: '/rpc/orders/create', body: `{"json":${INPUT}}` },
  { name: 'tRPC + Zod', file: 'trpc', path: '/orders.create', body: INPUT },
].filter(
  ({ name }) =>
    process.argv.length < 3 ||
    process.argv.slice(2).some((word) => name.toLowerCase().includes(word)) ||
    name.startsWith('raw node'),
)

execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
const load = createLoad()
console.log(`load: ${load.name}; ${ROUNDS} rounds of ${SECONDS} s each, interleaved\n`)

const rows = []
for (const server of SERVERS) {
  const running = await startServer(server)
  const answer = await fetch(`http://127.0.0.1:${running.port}${server.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: server.body,
  })
  if (!(await answer.text()).includes('28.5')) throw new Error(`${server.name} gave a wrong answer`)
  await load.run(running.port, server, 1)
  rows.push({ server, running, rps: [], cpu: [], p50: [], p99: [], start: running.startMs })
}
for (let round = 0; round < ROUNDS; round += 1) {
  for (const row of rows) {
    const before = await row.running.usage()
    const { rps, requests, p50, p99 } = await load.run(row.running.port, row.server, SECONDS)
    const after = await row.running.usage()
    row.rps.push(rps)
    row.cpu.push((after.cpu - before.cpu) / requests)
    row.p50.push(p50)
    row.p99.push(p99)
    row.memory = after.memory
  }
  process.stdout.write(`round ${round + 1} of ${ROUNDS} done\r`)
}

const [raw] = rows
const ratio = (values, base) => median(values.map((value, index) => value / base[index])).toFixed(3)
const table = [
  '| server | requests/s | ratio | CPU µs/request | ratio | p50 ms | p99 ms | start ms | memory MiB |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
  ...rows.map((row) =>
    [
      '',
      row.server.name,
      median(row.rps).toFixed(0),
      ratio(row.rps, raw.rps),
      median(row.cpu).toFixed(1),
      `x${ratio(row.cpu, raw.cpu)}`,
      median(row.p50).toFixed(2),
      median(row.p99).toFixed(2),
      row.start.toFixed(0),
      (row.memory / 1_048_576).toFixed(0),
      '',
    ]
      .join(' | ')
      .trim(),
  ),
].join('\n')
for (const { running } of rows) running.stop()
console.log(`\n${table}`)

if (process.argv.length < 3) {
  const [cpu] = cpus()
  writeFileSync(
    new URL('./RESULTS.md', import.meta.url),
    `# What a call costs, side by side

\`npm run bench\`: one \`orders.create\` call with envelope and arguments checked, over loopback HTTP with keep-alive and
64 connections. Each server is its own process on core 0, the load generator (${load.name}) runs on core 1; ${ROUNDS} rounds of
${SECONDS} s, interleaved; medians of rounds, ratios taken within each round. Read the ratios: the machine is shared and noisy.

Machine: ${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}.

${table}

Waymark's row does more than the others': the whole protocol, Host and Origin checks, depth and prototype guards, UTF-8
check, request id and duration headers.
`,
  )
  console.log('\nwritten to bench/RESULTS.md')
}
