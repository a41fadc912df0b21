// One client in a process of its own: node client-process.mjs <client> <base URL>. Ends with 3 where it is not installed.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { toArguments } from './job.mjs'

const [name, base] = process.argv.slice(2)
const CALLERS = 16
const CALLS = 5_000

const load = (specifier) => import(specifier).catch(() => process.exit(3))
const MAKERS = {
  fetch: () => async (input) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${base}/api/orders.create`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    })
    return answer.json()
  },
  async waymark() {
    const dist = resolve(process.env.WAYMARK_DIST ?? 'dist')
    const { createClient } = await import(pathToFileURL(`${dist}/entries/client.js`))
    const client = createClient({ url: `${base}/forrst`, name: 'bench' })
    return (input) => client.callOrThrow('orders.create', input)
  },
  async ofetch() {
    const { ofetch } = await load('ofetch')
    return (body) => ofetch(`${base}/api/orders.create`, { method: 'POST', body })
  },
  async orpc() {
    const [{ createORPCClient }, { RPCLink }] = [
      await load('@orpc/client'),
      await load('@orpc/client/fetch'),
    ]
    const client = createORPCClient(new RPCLink({ url: `${base}/rpc` }))
    return (input) => client.orders.create(input)
  },
  async mcp() {
    const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client')
    const client = new Client({ name: 'bench', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`)))
    return async (input) =>
      (await client.callTool({ name: 'orders__create', arguments: input })).structuredContent
  },
}

const call = await MAKERS[name]()
async function callMany(count) {
  let left = count
  const work = async () => {
    while (left > 0) {
      left -= 1
      const { status } = await call(toArguments(left))
      if (status !== 'created') throw new Error('a wrong answer')
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, work))
}
await callMany(2_000)
const before = process.cpuUsage()
const started = performance.now()
await callMany(CALLS)
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - started) / 1_000
console.log(JSON.stringify({ cpu: (user + system) / CALLS, perSecond: CALLS / seconds }))
process.exit(0)
