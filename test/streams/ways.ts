import {
  allSurfaces,
  createApp,
  createService,
  defineFunction,
  type HttpRequest,
  type HttpResponse,
} from 'waymark'
import { z } from 'zod'
import { toRequest } from '../support/forrst.ts'

/** What became of a stream. */
export interface Watched {
  made: number
  left: boolean
}

/** An app with a function that counts. */
export interface Counting {
  readonly watched: Watched
  readonly open: Open
  /** Breaks the connection, as hosts tell it. */
  readonly leave: () => void
}

/** Creates an app whose function `numbers.count` yields as fast as it is read, and tells how far it is. */
export function createCounting(): Counting {
  const watched: Watched = { made: 0, left: false }
  const count = defineFunction({
    name: 'numbers.count',
    version: '1.0.0',
    readOnly: true,
    input: z.object({ to: z.int(), after: z.int().optional() }),
    item: z.object({ value: z.int(), text: z.string() }),
    output: z.object({ count: z.int() }),
    resume: { id: 'value', after: 'after' },
    async *handler({ input }) {
      try {
        for (let value = (input.after ?? 0) + 1; value <= input.to; value += 1) {
          watched.made = value
          yield { value, text: 'x'.repeat(80) }
        }
        return { count: watched.made }
      } finally {
        watched.left = true
      }
    },
  })
  const service = createService({
    info: { title: 'Numbers', version: '1.0.0' },
    functions: [count],
    log: { warn: () => undefined, error: console.error },
  })
  const app = createApp(service, {
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    bind: '127.0.0.1',
  })
  const gone = new AbortController()
  return {
    watched,
    open: async (request) => app.handle({ ...request, signal: () => gone.signal }),
    leave: () => gone.abort(),
  }
}

type Open = (request: HttpRequest) => Promise<HttpResponse>

const HOST = { host: '127.0.0.1' }
const JSON_BODY = { ...HOST, 'content-type': 'application/json' }

function get(to: number, headers: Readonly<Record<string, string>>): HttpRequest {
  const request = toRequest('', {
    method: 'GET',
    path: '/api/numbers.count',
    headers: { ...HOST, ...headers },
  })
  return { ...request, query: `to=${to}`, peerAddress: () => '127.0.0.1' }
}

function post(path: string, body: object, headers: Readonly<Record<string, string>>): HttpRequest {
  const request = toRequest(body, { method: 'POST', path, headers: { ...JSON_BODY, ...headers } })
  return { ...request, peerAddress: () => '127.0.0.1' }
}

const BOTH = 'application/json, text/event-stream'
const MODERN = '2026-07-28'

async function openSession(open: Open): Promise<Readonly<Record<string, string>>> {
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'tests', version: '1.0.0' },
    },
  }
  const { headers } = await open(post('/mcp', initialize, { accept: BOTH }))
  const session = {
    'mcp-session-id': String(headers['mcp-session-id']),
    'mcp-protocol-version': '2025-06-18',
  }
  await open(
    post(
      '/mcp',
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { ...session, accept: BOTH },
    ),
  )
  return session
}

function callTool(to: number, meta: object = {}): object {
  return {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'numbers__count',
      arguments: { to },
      _meta: { progressToken: 'p', ...meta },
    },
  }
}

/** Every way to read items as they come, and how to find them in what was read. */
export const WAYS: readonly {
  readonly name: string
  readonly ask: (open: Open, to: number) => Promise<HttpResponse>
}[] = [
  {
    name: 'Forrst',
    ask: (open, to) =>
      open(
        post(
          '/forrst',
          {
            protocol: { name: 'forrst', version: '0.1.0' },
            id: 'a',
            call: { function: 'numbers.count', arguments: { to } },
            extensions: [{ urn: 'urn:forrst:ext:stream', options: { accept: true } }],
          },
          {},
        ),
      ),
  },
  {
    name: 'REST, events with GET',
    ask: (open, to) => open(get(to, { accept: 'text/event-stream' })),
  },
  {
    name: 'REST, lines with GET',
    ask: (open, to) => open(get(to, { accept: 'application/jsonl' })),
  },
  {
    name: 'the tool API',
    ask: (open, to) =>
      open(post('/explorer/tools/numbers.count/call', { to }, { accept: 'text/event-stream' })),
  },
  {
    name: 'MCP 2026-07-28',
    ask: (open, to) =>
      open(
        post(
          '/mcp',
          callTool(to, {
            'io.modelcontextprotocol/protocolVersion': MODERN,
            'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
            'io.modelcontextprotocol/clientCapabilities': {},
          }),
          {
            accept: BOTH,
            'mcp-protocol-version': MODERN,
            'mcp-method': 'tools/call',
            'mcp-name': 'numbers__count',
          },
        ),
      ),
  },
  {
    name: 'MCP 2025-06-18',
    ask: async (open, to) =>
      open(post('/mcp', callTool(to), { accept: BOTH, ...(await openSession(open)) })),
  },
]
