// MCP side by side in one run: the same validated tools/call, and tools/list with ever more tools, against the
// official packages' own servers and a bare node:http handler. Each server is its own process on core 0, the load runs
// on core 1, rounds are interleaved. Only ratios mean anything. Goals: calls at least 8 times as fast as the official
// server of the same revision; a list costs no more per byte the longer it gets. Writes bench/MCP.md.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { createOrder, ORDER_SCHEMA, REQUEST, report } from './job.mjs'
import { canPin, hasCommand, median, startServer } from './process.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const SECONDS = Number(process.env.SECONDS ?? 2)
const CONNECTIONS = 64
const TOOL = 'orders__create'
const SUMMARY = 'Create a new order'
const run = promisify(execFile)

const MODERN = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
}
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const LEGACY = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}

const roles = {
  bare: startBare,
  waymark: startWaymark,
  'official-2': startOfficial2,
  'official-1': startOfficial1,
}
if (process.env.ROLE) await roles[process.env.ROLE](Number(process.env.TOOLS ?? 1))
else await compare()

/** What a handler with nothing in it can do: the limit. */
async function startBare() {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const input = params?.arguments
      const valid =
        method === 'tools/call' &&
        params.name === TOOL &&
        typeof input?.customer_id === 'string' &&
        input.customer_id !== '' &&
        Array.isArray(input.items) &&
        input.items.length > 0 &&
        input.items.every(
          (item) =>
            typeof item?.product_id === 'string' &&
            Number.isInteger(item.quantity) &&
            item.quantity >= 1,
        )
      const result = valid ? createOrder(input) : { error: 'invalid' }
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: {
          content: [{ type: 'text', text: JSON.stringify(result) }],
          structuredContent: result,
          resultType: 'complete',
        },
      })
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    })
  })
  server.listen(0, '127.0.0.1', () => report(server))
}

async function startWaymark(count) {
  const { createApp, createService, defineFunction, toNodeListener } = await import(
    '../dist/entries/waymark.js'
  )
  const { createMcpHandler } = await import('../dist/entries/mcp.js')
  const define = (name) =>
    defineFunction({
      name,
      version: '1.0.0',
      summary: SUMMARY,
      input: ORDER_SCHEMA,
      handler: ({ input }) => createOrder(input),
    })
  const others = Array.from({ length: count - 1 }, (_, index) => define(`fill.f${index}`))
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [define('orders.create'), ...others],
  })
  const handler = createMcpHandler(service, { pageSize: 100_000, toolBudget: 1e9 })
  const app = createApp(service, {
    mounts: [{ path: '/agents', match: 'exact', handler }],
    surfaces: allSurfaces(),
  })
  const server = createServer(toNodeListener(app))
  server.listen(0, '127.0.0.1', () => report(server))
}

async function startOfficial2(count) {
  const { createMcpHandler, fromJsonSchema, McpServer } = await import(
    '@modelcontextprotocol/server'
  )
  const { toNodeHandler } = await import('@modelcontextprotocol/node')
  // Shared: compiling it for every request would be unfair.
  const inputSchema = fromJsonSchema(ORDER_SCHEMA)
  const handler = createMcpHandler(
    () => registerTools(new McpServer({ name: 'orders', version: '1.0.0' }), count, inputSchema),
    { responseMode: 'json' },
  )
  const server = createServer(toNodeHandler(handler))
  server.listen(0, '127.0.0.1', () => report(server))
}

async function startOfficial1(count) {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
  const { StreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/sdk/server/streamableHttp.js'
  )
  const { z } = await import('zod')
  const inputSchema = {
    customer_id: z.string().min(1),
    items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })).min(1),
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => 'bench',
    enableJsonResponse: true,
  })
  const mcp = registerTools(new McpServer({ name: 'orders', version: '1.0.0' }), count, inputSchema)
  await mcp.connect(transport)
  const server = createServer((request, response) => transport.handleRequest(request, response))
  server.listen(0, '127.0.0.1', () => report(server))
}

function registerTools(mcp, count, inputSchema) {
  const add = (name) =>
    mcp.registerTool(name, { description: SUMMARY, inputSchema }, (input) => {
      const result = createOrder(input)
      return {
        content: [{ type: 'text', text: JSON.stringify(result) }],
        structuredContent: result,
      }
    })
  add(TOOL)
  for (let index = 0; index < count - 1; index += 1) add(`fill__f${index}`)
  return mcp
}

function modernRequest(method, params = {}) {
  return {
    headers: {
      ...MODERN,
      'mcp-method': method,
      ...(params.name && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  }
}

async function legacyRequest(url, method, params = {}) {
  const opened = await fetch(url, {
    method: 'POST',
    headers: LEGACY,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1.0.0' },
      },
    }),
  })
  await opened.text()
  const headers = { ...LEGACY, 'mcp-session-id': opened.headers.get('mcp-session-id') }
  await fetch(url, {
    method: 'POST',
    headers,
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  })
  return { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }
}

async function compare() {
  if (!process.env.BUILT) {
    execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  }
  const calls = await compareCalls()
  const lists = await compareLists()
  console.log(`\n${calls}\n\n${lists}`)
  writeFileSync(
    new URL('./MCP.md', import.meta.url),
    `# MCP, side by side

\`node bench/mcp.mjs\`: the same validated order over loopback HTTP with keep-alive. Each server is its own process on
core 0, the load (${hasCommand('wrk') ? 'wrk' : 'autocannon'}, ${CONNECTIONS} connections) runs on core 1; ${ROUNDS} rounds of ${SECONDS} s, interleaved; medians,
ratios taken within each round. The machine is shared and noisy: read the ratios.
Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}.

## tools/call

${calls}

## tools/list

One client, one request after another. Waymark sends all tools in one page here, as the official servers do.

${lists}
`,
  )
}

async function compareCalls() {
  const params = { name: TOOL, arguments: JSON.parse(REQUEST).call.arguments }
  const modern = async () => modernRequest('tools/call', params)
  const legacy = (url) => legacyRequest(url, 'tools/call', params)
  const servers = [
    { name: 'bare node:http, hand checks', role: 'bare', path: '/', write: modern },
    { name: 'bare again (noise floor)', role: 'bare', path: '/', write: modern },
    { name: 'Waymark, 2026-07-28', role: 'waymark', path: '/agents', write: modern },
    { name: 'Waymark, 2025-11-25 session', role: 'waymark', path: '/agents', write: legacy },
    {
      name: 'Waymark, 2026-07-28, 10,000 tools',
      role: 'waymark',
      tools: 10_000,
      path: '/agents',
      write: modern,
    },
    { name: 'official 2.x, 2026-07-28', role: 'official-2', path: '/', write: modern },
    { name: 'official 1.x, 2025-11-25 session', role: 'official-1', path: '/', write: legacy },
  ]
  const rows = []
  for (const server of servers) {
    const running = await startServer({
      file: '../mcp',
      env: { ROLE: server.role, TOOLS: String(server.tools ?? 1) },
    })
    const url = `http://127.0.0.1:${running.port}${server.path}`
    const request = await server.write(url)
    const answer = await (await fetch(url, { method: 'POST', ...request })).text()
    if (!answer.includes('28.5')) throw new Error(`${server.name} gave a wrong answer: ${answer}`)
    await load(url, request, 1)
    rows.push({ server, running, url, request, rps: [], cpu: [], p50: [], p99: [] })
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const row of rows) {
      const before = await row.running.usage()
      const measured = await load(row.url, row.request, SECONDS)
      const after = await row.running.usage()
      row.rps.push(measured.rps)
      row.p50.push(measured.p50)
      row.p99.push(measured.p99)
      row.cpu.push((after.cpu - before.cpu) / measured.requests)
    }
    process.stdout.write(`round ${round + 1} of ${ROUNDS} done\r`)
  }
  for (const { running } of rows) running.stop()
  const [bare] = rows
  const byRole = (role) => rows.find(({ server }) => server.role === role)
  const ratio = (row, base) => median(row.rps.map((value, index) => value / base.rps[index]))
  return [
    '| server | requests/s | of bare | of official 2.x | of official 1.x | CPU µs/request | p50 ms | p99 ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(
      (row) =>
        `| ${row.server.name} | ${median(row.rps).toFixed(0)} | ${ratio(row, bare).toFixed(3)} | x${ratio(row, byRole('official-2')).toFixed(1)} | x${ratio(row, byRole('official-1')).toFixed(1)} | ${median(row.cpu).toFixed(1)} | ${median(row.p50).toFixed(2)} | ${median(row.p99).toFixed(2)} |`,
    ),
  ].join('\n')
}

async function compareLists() {
  const request = modernRequest('tools/list')
  const counts = [10, 100, 1_000, 10_000]
  const servers = [
    { name: 'Waymark', role: 'waymark', path: '/agents' },
    { name: 'official 2.x', role: 'official-2', path: '/' },
  ]
  const lines = []
  for (const { name, role, path } of servers) {
    for (const count of counts) {
      const running = await startServer({
        file: '../mcp',
        env: { ROLE: role, TOOLS: String(count) },
      })
      const url = `http://127.0.0.1:${running.port}${path}`
      const ask = async () =>
        (await (await fetch(url, { method: 'POST', ...request })).arrayBuffer()).byteLength
      const firstAt = performance.now()
      const bytes = await ask()
      const first = performance.now() - firstAt
      const times = role === 'waymark' ? 50 : Math.max(3, Math.round(1_000 / count))
      const before = await running.usage()
      const spent = []
      for (let index = 0; index < times; index += 1) {
        const at = performance.now()
        await ask()
        spent.push(performance.now() - at)
      }
      const after = await running.usage()
      running.stop()
      const cpu = (after.cpu - before.cpu) / times / 1_000
      lines.push(
        `| ${name} | ${count} | ${bytes} | ${cpu.toFixed(3)} | ${((cpu * 1_000) / (bytes / 1_024)).toFixed(2)} | ${median(spent).toFixed(2)} | ${first.toFixed(1)} |`,
      )
    }
  }
  return [
    '| server | tools | bytes | CPU ms/request | CPU µs per KiB | p50 ms | first ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...lines,
  ].join('\n')
}

async function load(url, { headers, body }, seconds) {
  if (!hasCommand('wrk')) {
    const { requests, latency, non2xx } = await autocannon({
      url,
      method: 'POST',
      headers,
      body,
      connections: CONNECTIONS,
      duration: seconds,
    })
    if (non2xx > 0) throw new Error(`${non2xx} answers were not 2xx`)
    return { rps: requests.average, requests: requests.total, p50: latency.p50, p99: latency.p99 }
  }
  const script = join(mkdtempSync(join(tmpdir(), 'waymark-bench-')), 'post.lua')
  const lines = Object.entries(headers).map(
    ([name, value]) => `wrk.headers["${name}"] = [[${value}]]`,
  )
  writeFileSync(script, `wrk.method = "POST"\n${lines.join('\n')}\nwrk.body = [[${body}]]\n`)
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency', '-s', script, url]
  const [command, all] = canPin ? ['taskset', ['-c', '1', 'wrk', ...args]] : ['wrk', args]
  const { stdout } = await run(command, all)
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout)
  const time = (pattern) => {
    const [, value, unit] = pattern.exec(stdout) ?? []
    return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit ?? 'ms']
  }
  return {
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    p50: time(/50%\s+([\d.]+)(us|ms|s)/),
    p99: time(/99%\s+([\d.]+)(us|ms|s)/),
  }
}
