// Every server of the comparison: what to send, and how to read the answer.
import { toArguments, totalOf } from './job.mjs'

const json = { 'content-type': 'application/json' }
const id = (index) => 100_000 + index
const envelope = (name) => (input, index) => ({
  protocol: { name, version: '0.1.0' },
  id: `req-${id(index)}`,
  call: { function: 'orders.create', version: '1.0.0', arguments: input },
})
const mcp = {
  path: '/mcp',
  headers: {
    ...json,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'orders__create',
  },
  body: (input, index) => ({
    jsonrpc: '2.0',
    id: id(index),
    method: 'tools/call',
    params: {
      name: 'orders__create',
      arguments: input,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
  result: ({ result }) =>
    result && !result.isError ? JSON.parse(result.content[0].text) : undefined,
}
const forrst = {
  path: '/forrst',
  headers: json,
  body: envelope('forrst'),
  result: ({ result }) => result ?? undefined,
}
const bare = {
  headers: json,
  body: (input) => input,
  result: (answer) => (answer.id ? answer : undefined),
}

export const RAW = {
  name: 'raw node:http',
  file: 'raw',
  ...forrst,
  path: '/rpc',
  body: envelope('bench'),
}
export const CALLS = [
  { ...RAW, name: 'raw node:http again (noise)' },
  { name: 'Waymark, Forrst', file: 'waymark', ...forrst },
  { name: 'Waymark, REST', file: 'waymark', ...bare, path: '/api/orders.create' },
  { name: 'Waymark, MCP 2026-07-28', file: 'waymark', ...mcp },
  {
    name: 'Waymark, Forrst, 10,000 functions',
    file: 'waymark',
    env: { FUNCTIONS: '10000' },
    ...forrst,
  },
  {
    name: 'json-rpc-2.0 + Ajv',
    file: 'json-rpc',
    path: '/',
    headers: json,
    body: (input, index) => ({
      jsonrpc: '2.0',
      id: id(index),
      method: 'orders.create',
      params: input,
    }),
    result: ({ result }) => result,
  },
  {
    name: 'Fastify + Ajv, same envelope',
    file: 'fastify',
    ...forrst,
    path: '/rpc',
    body: envelope('bench'),
  },
  { name: 'Hono + Zod', file: 'hono', ...bare, path: '/orders.create' },
  {
    name: 'oRPC + Zod',
    file: 'orpc',
    path: '/rpc/orders/create',
    headers: json,
    body: (input) => ({ json: input }),
    result: ({ json: result }) => (result?.id ? result : undefined),
  },
  {
    name: 'tRPC + Zod',
    file: 'trpc',
    path: '/orders.create',
    headers: json,
    body: (input) => input,
    result: ({ result }) => result?.data,
  },
  { name: 'bare MCP messages on node:http, one write', file: 'bare-mcp', ...mcp },
  { name: 'official MCP server 2.x', file: 'mcp-sdk', ...mcp },
]

/** Large bodies in and out, over REST: the shape of the bodies is that of the raw handler's arguments and answers. */
export function listPayloads() {
  return [100_000, 5_000_000].flatMap((bytes) => {
    const lines = Math.round(bytes / 42)
    const size = bytes < 1_000_000 ? '100 kB' : '5 MB'
    const env = { LARGE: '1' }
    const own = (input) => toArguments(0, input.items.length === 2 ? lines : input.items.length)
    return [
      {
        name: `${size} in`,
        raw: { ...RAW, body: (input, index) => envelope('bench')(own(input), index), bodies: 1 },
        ours: {
          file: 'waymark',
          env,
          ...forrst,
          body: (input, index) => envelope('forrst')(own(input), index),
          bodies: 1,
        },
      },
      {
        name: `${size} out`,
        raw: { ...RAW, path: '/out', body: () => ({ bytes }), result: () => undefined, bodies: 1 },
        ours: {
          file: 'waymark',
          env,
          ...bare,
          path: '/api/orders.list',
          body: () => ({ bytes }),
          bodies: 1,
        },
      },
    ]
  })
}

export function isRight(result, input) {
  return (
    /^ord_\d{6}$/.test(result?.id) && result.status === 'created' && result.total === totalOf(input)
  )
}
