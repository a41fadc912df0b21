import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { mayFit } from '../../src/core/result.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { type ServeOptions, serve } from '../../src/http/serve.ts'
import { toRequest } from '../support/forrst.ts'
import { serviceOf } from '../support/service.ts'

const LONG = 'x'.repeat(500_000)

/** A result that says how many of its rows somebody has looked at. */
function createRows(length: number) {
  let read = 0
  const row = {
    get text() {
      read += 1
      return 'a text of some length, as rows have it'
    },
  }
  return { rows: Array.from({ length }, () => row), read: () => read }
}

function createTestApp(result: unknown = 'ok') {
  const large = defineFunction({ name: 'tests.large', version: '1.0.0', handler: () => result })
  const row = defineFunction({
    name: 'tests.row',
    version: '1.0.0',
    input: {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'integer' } }, word: { enum: ['a'] } },
      additionalProperties: false,
    },
    handler: () => 'ok',
  })
  return createApp(serviceOf([large, row], { limits: { maxResponseBytes: 100_000 } }), {
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  })
}

function forrst(call: object, more: object = {}) {
  return { protocol: { name: 'forrst', version: '0.1.0' }, id: 'one', call, ...more }
}

const ask = async (
  app: ReturnType<typeof createTestApp>,
  path: string,
  document: unknown,
  more: Readonly<Record<string, string>> = {},
) => {
  const headers = { host: 'localhost', accept: 'application/json', ...more }
  const { status, body } = await app.handle(toRequest(document, { path, headers }))
  return { status, text: String(body) }
}

const tool = (name: string, input: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input },
})

/** How to call a function, by surface. */
const CALLS = {
  Forrst: ['/forrst', forrst({ function: 'tests.large', arguments: {} })],
  REST: ['/api/tests.large', {}],
  MCP: ['/mcp', tool('tests__large')],
  'the tool API': ['/explorer/tools/tests.large/call', {}],
} as const

describe('as reported', () => {
  it.each(Object.entries(CALLS))(
    'refuses a large result before it is written: %s',
    async (_, [path, document]) => {
      const { rows, read } = createRows(1_000_000)
      const answer = await ask(createTestApp(rows), path, document)
      expect(answer.text).toContain('larger than 100000 bytes')
      expect(answer.text.length).toBeLessThan(2_000)
      expect(read()).toBeLessThan(10_000)
    },
  )

  it('cuts a function name of 500 kB that it repeats', async () => {
    const document = forrst({ function: LONG, arguments: {} })
    const answer = await ask(createTestApp(), '/forrst', document)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text.length).toBeLessThan(5_000)
  })

  it('lets a client go that never reads', async () => {
    const { socket, closed } = await neverReads({ sendTimeoutMs: 100 }, '/api/tests.huge')
    await closed
    expect(socket.destroyed).toBe(true)
  })
})

async function neverReads(options: ServeOptions, path: string) {
  const huge = defineFunction({
    name: 'tests.huge',
    version: '1.0.0',
    handler: () => 'y'.repeat(8_000_000),
  })
  const endless = defineFunction({
    name: 'tests.endless',
    version: '1.0.0',
    item: { type: 'string' },
    async *handler() {
      for (;;) yield 'y'.repeat(50_000)
    },
  })
  const server = await serve(serviceOf([huge, endless]), { port: 0, graceMs: 100, ...options })
  onTestFinished(() => server.close())
  const socket: Socket = connect(server.port, '127.0.0.1').pause()
  onTestFinished(() => void socket.destroy())
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`)
  // A reset tells; a socket that is paused does not see the end otherwise.
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => resolve()).on('close', () => resolve())
    const look = setInterval(() => socket.write('\r\n'), 100)
    onTestFinished(() => clearInterval(look))
  })
  return { socket, closed }
}

describe('beside it', () => {
  it('lets a client go that never reads a stream', async () => {
    const { socket, closed } = await neverReads({ sendTimeoutMs: 100 }, '/api/tests.endless')
    await closed
    expect(socket.destroyed).toBe(true)
  })

  it.each([
    ['a head that never ends', 'POST /forrst HTTP/1.1\r\nHost: localhost\r\n'],
    [
      'a body that never comes',
      'POST /forrst HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{',
    ],
    ['nothing at all', ''],
  ])('lets a client go that sends %s', async (_name, bytes) => {
    const server = await serve(serviceOf([]), { port: 0, requestTimeoutMs: 200 })
    onTestFinished(() => server.close())
    const socket = connect(server.port, '127.0.0.1')
    if (bytes !== '') socket.write(bytes)
    const closed = new Promise<string>((resolve) => {
      socket.on('close', () => resolve('closed')).on('error', () => {})
      socket.resume()
    })
    expect(await closed).toBe('closed')
  })

  it.each([
    ['a version', '/forrst', forrst({ function: 'tests.row', version: LONG, arguments: {} })],
    [
      'a protocol version',
      '/forrst',
      { ...forrst({ function: 'tests.row' }), protocol: { name: 'forrst', version: LONG } },
    ],
    ['an id', '/forrst', { ...forrst({ function: 'tests.none' }), id: LONG }],
    [
      'an extension',
      '/forrst',
      forrst({ function: 'tests.row' }, { extensions: [{ urn: `urn:forrst:ext:${LONG}` }] }),
    ],
    [
      'many extensions',
      '/forrst',
      forrst(
        { function: 'tests.row' },
        {
          extensions: Array.from({ length: 5_000 }, (_, n) => ({
            urn: `urn:forrst:ext:no-such-extension-${n}`,
          })),
        },
      ),
    ],
    [
      'an option',
      '/forrst',
      forrst(
        { function: 'tests.row', arguments: {} },
        { extensions: [{ urn: 'urn:forrst:ext:deadline', options: { value: 1, unit: LONG } }] },
      ),
    ],
    ['an argument name', '/api/tests.row', { [LONG]: 1 }],
    ['an argument value', '/api/tests.row', { word: LONG }],
    ['many wrong items', '/api/tests.row', { list: Array.from({ length: 50_000 }, () => 'x') }],
    [
      'many argument names',
      '/api/tests.row',
      Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`argument_${n}`, n])),
    ],
    ['a path', `/api/${LONG}`, {}],
    ['a tool in a path', `/explorer/tools/${LONG}/call`, {}],
    ['arguments to the tool API', '/explorer/tools/tests.row/call', { [LONG]: 1 }],
    ['arguments to validate', '/explorer/tools/tests.row/validate', { [LONG]: 1 }],
    ['a tool', '/mcp', tool(LONG)],
    ['arguments of a tool', '/mcp', tool('tests__row', { [LONG]: 1 })],
    ['a method', '/mcp', { jsonrpc: '2.0', id: 1, method: LONG }],
    ['an MCP id', '/mcp', { jsonrpc: '2.0', id: LONG, method: 'ping' }],
    [
      'a resource',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `waymark://${LONG}` } },
    ],
    ['a prompt', '/mcp', { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: LONG } }],
    [
      'a completion',
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'completion/complete',
        params: { ref: { type: 'ref/prompt', name: LONG }, argument: { name: LONG, value: LONG } },
      },
    ],
    [
      'a log level',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: LONG } },
    ],
    ['a task', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: LONG } }],
    ['a cursor', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: LONG } }],
    [
      'a batch',
      '/mcp',
      Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
    ],
    [
      'a component of health',
      '/forrst',
      forrst({ function: 'urn:cline:forrst:fn:health', arguments: { component: LONG } }),
    ],
    [
      'a function to describe',
      '/forrst',
      forrst({ function: 'urn:cline:forrst:fn:describe', arguments: { function: LONG } }),
    ],
    [
      'an operation',
      '/forrst',
      forrst({
        function: 'urn:cline:forrst:ext:async:fn:status',
        arguments: { operation_id: LONG },
      }),
    ],
    [
      'a cancellation',
      '/forrst',
      forrst({
        function: 'urn:cline:forrst:ext:cancellation:fn:cancel',
        arguments: { token: LONG },
      }),
    ],
  ])('does not repeat %s at length', async (_name, path, document) => {
    const { status, text } = await ask(createTestApp(), path, document)
    expect(status).toBeGreaterThanOrEqual(200)
    expect(text.length, text.slice(0, 300)).toBeLessThan(30_000)
  })

  it.each([
    'accept',
    'mcp-protocol-version',
    'mcp-session-id',
    'origin',
    'content-type',
    'ucp-agent',
    'content-encoding',
    'host',
  ])('does not repeat the header %s at length', async (name) => {
    const more = { [name]: LONG }
    for (const path of ['/forrst', '/api/tests.row', '/mcp', '/explorer/tools/tests.row/call']) {
      const { text } = await ask(createTestApp(), path, {}, more)
      expect(text.length, `${path}: ${text.slice(0, 300)}`).toBeLessThan(5_000)
    }
  })

  it('measures no result that fits as too large', () => {
    const values: unknown[] = [
      null,
      true,
      1.5,
      '"\\\n',
      '',
      [],
      {},
      [1, [2, 'x']],
      { a: { b: [] }, 'c"d': 'é' },
    ]
    values.push({ date: new Date(0), left: undefined, run: () => 1 }, [undefined, null])
    for (const value of values) {
      const text = JSON.stringify(value)
      expect(mayFit(value, text.length), text).toBe(true)
    }
    expect(mayFit('x'.repeat(101), 100)).toBe(false)
    expect(
      mayFit(
        Array.from({ length: 101 }, () => 0),
        100,
      ),
    ).toBe(false)
    expect(mayFit({ [LONG]: 0 }, 100)).toBe(false)
  })

  it('leaves a result that holds itself to what writes it', async () => {
    const self: Record<string, unknown> = {}
    self['self'] = self
    const { status, text } = await ask(createTestApp(self), '/api/tests.large', {})
    expect(status).toBe(500)
    expect(text).toContain('INTERNAL_ERROR')
  })
})
