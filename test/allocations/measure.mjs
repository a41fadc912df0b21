// Prints how many bytes one call allocates on each surface, from a built package: node … measure.mjs <dist>.
// Without compilers and with a young generation that is never full, the same code allocates the same on every run.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const dist = resolve(process.argv[2])
const { allSurfaces, createApp, createService, defineFunction } = await import(
  pathToFileURL(`${dist}/entries/waymark.js`)
)
const text = { type: 'string' }
const input = {
  type: 'object',
  properties: {
    customer_id: text,
    lines: { type: 'array', items: { type: 'object', properties: { id: text } } },
  },
  required: ['customer_id'],
}
const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [
    defineFunction({
      name: 'orders.create',
      version: '1.0.0',
      input,
      handler: () => ({ id: 'ord_1', total: 3 }),
    }),
  ],
  log: { info() {}, warn() {}, error: console.error },
})
const app = createApp(service, { surfaces: allSurfaces() })
const order = { customer_id: 'c_1', lines: [{ id: 'p_1' }, { id: 'p_2' }] }
const REQUESTS = {
  forrst: {
    path: '/forrst',
    body: {
      protocol: { name: 'forrst', version: '0.1.0' },
      id: 'req_1',
      call: { function: 'orders.create', version: '1.0.0', arguments: order },
    },
  },
  rest: { path: '/api/orders.create', body: order },
  mcp: {
    path: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'orders__create',
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'orders__create',
        arguments: order,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  },
}
const CALLS = 1_000

function measure({ path, headers, body }) {
  const known = { host: '127.0.0.1:1', 'content-type': 'application/json', ...headers }
  const request = {
    method: 'POST',
    path,
    query: '',
    header: (name) => known[name],
    body: Buffer.from(JSON.stringify(body)),
    bodyTooLarge: false,
    signal: () => new AbortController().signal,
  }
  const callMany = () => {
    for (let call = 0; call < CALLS; call += 1) {
      const { status } = app.handle(request)
      if (status !== 200) throw new Error(`${path} is not answered at once with 200`)
    }
  }
  callMany()
  const rounds = Array.from({ length: 7 }, () => {
    gc()
    const before = process.memoryUsage().heapUsed
    callMany()
    return (process.memoryUsage().heapUsed - before) / CALLS
  })
  // What the process does on the side only adds.
  return Math.round(Math.min(...rounds))
}

const figures = Object.entries(REQUESTS).map(([surface, request]) => [surface, measure(request)])
console.log(JSON.stringify(Object.fromEntries(figures)))
process.exit(0)
