import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMcpHandler, type McpHandler, type TaskOptions } from '../../src/entries/mcp.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { serve } from '../../src/http/serve.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { memoryTaskRecords, type TaskRecord } from '../../src/surfaces/mcp/tasks/records.ts'
import { createShop, slow } from '../mcp/shop.ts'
import { modernClient } from '../mcp/wire.ts'
import { createTestClock } from '../support/forrst.ts'

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

function connect(tasks: TaskOptions, options: Parameters<typeof createShop>[0] = {}) {
  const handler = createMcpHandler(createShop(options, [slow]), {
    tasks: { mode: () => 'always', ...tasks },
    callerKey: (request) => request.header('x-caller') ?? '',
  })
  handlers.push(handler)
  const client = modernClient(handler, { capabilities })
  const call = async (caller: string, ms: number) => {
    const params = { name: 'shop__slow', arguments: { ms } }
    return (await client.request('tools/call', params, { headers: { 'x-caller': caller } })).result
  }
  return { call, client }
}

describe.each([
  ['in the process', {}],
  ['in a store', { store: createMemoryStore() }],
])('tasks remembered %s', (_where, options) => {
  it('of one caller are bounded: its further calls stay ordinary ones, those of others do not', async () => {
    const { call, client } = connect({ maxPerCaller: 2 }, options)
    const first = await call('a', 60_000)
    const second = await call('a', 60_000)
    expect([first['resultType'], second['resultType']]).toEqual(['task', 'task'])
    expect(await call('a', 1)).not.toHaveProperty('taskId')
    expect(await call('b', 60_000)).toMatchObject({ resultType: 'task' })
    await client.request('tasks/cancel', { taskId: String(first['taskId']) })
    if ('store' in options) expect(await call('a', 60_000)).toMatchObject({ resultType: 'task' })
  })
})

describe('tasks in the process', () => {
  it('one caller may have 100 unless told otherwise', async () => {
    const { call } = connect({})
    const all = await Promise.all(Array.from({ length: 101 }, () => call('a', 200)))
    expect(all.filter(({ resultType }) => resultType === 'task')).toHaveLength(100)
  })

  it('finished ones count until they are forgotten', async () => {
    const { call, client } = connect({ maxPerCaller: 1, ttlMs: 50 })
    const { taskId } = await call('a', 1)
    await vi.waitFor(async () => {
      const { result, error } = await client.request('tasks/get', { taskId: String(taskId) })
      expect(result?.['status'] ?? error).not.toBe('working')
    })
    await vi.waitFor(async () => {
      expect(await call('a', 1)).toMatchObject({ resultType: 'task' })
    })
  })

  it('a caller at its limit gets room when its own are old, not before', () => {
    const clock = createTestClock()
    const records = memoryTaskRecords(clock, { max: 10, maxPerCaller: 1, maxBytes: 1_000 })
    const task = (id: string): TaskRecord => ({
      ...{ id, owner: '', status: 'completed', ttlMs: 1_000 },
      ...{ createdAt: clock.now(), updatedAt: clock.now() },
    })
    expect(records.create(task('one'), 'a')).toBe(true)
    expect(records.create(task('two'), 'a')).toBe(false)
    expect(records.create(task('three'), 'b')).toBe(true)
    clock.advance(1_001)
    expect(records.create(task('four'), 'a')).toBe(true)
  })
})

/** Opens sessions over HTTP with a service that keeps two of one caller. */
async function open() {
  const server = await serve(createShop(), {
    port: 0,
    surfaces: allSurfaces({ mcp: { sessions: { maxPerCaller: 2 } } }),
  })
  onTestFinished(() => server.close())
  const send = (body: object, session?: string) =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    })
  const begin = async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }
    const opened = await send({ method: 'initialize', params })
    const id = opened.headers.get('mcp-session-id') ?? ''
    return id
  }
  const ping = async (session: string) => (await send({ method: 'ping' }, session)).status
  /** Listens to a session; tells whether the service has ended that. */
  const listen = async (session: string) => {
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    const { status, body } = await fetch(`${server.url}/mcp`, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
      signal: ended.signal,
    })
    expect(status).toBe(200)
    const state = { isOver: false }
    const over = drain(body).then(() => {
      state.isOver = true
    })
    over.catch(() => {})
    return { state, over }
  }
  const end = async (session: string) =>
    (await fetch(`${server.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session } }))
      .status
  return { begin, ping, listen, end }
}

async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; ) part = await reader?.read()
}

describe('as reported: more sessions of one caller than are kept, over HTTP', () => {
  it('ends the one that was not used for the longest time, and no other', async () => {
    const { begin, ping, listen } = await open()
    const first = await begin()
    const used = await listen(first)
    const second = await begin()
    const unused = await listen(second)
    expect(await ping(first)).toBe(200)
    await begin()
    await unused.over
    expect(used.state.isOver).toBe(false)
  })

  it('ends one that nobody listens to before one that somebody does', async () => {
    const { begin, ping, listen } = await open()
    const first = await begin()
    const heard = await listen(first)
    for (let count = 0; count < 5; count += 1) await begin()
    expect(await ping(first)).toBe(200)
    expect(heard.state.isOver).toBe(false)
  })

  it('takes it up again from its id: its client goes on, at the cost of another', async () => {
    const { begin, ping, listen } = await open()
    const first = await begin()
    const second = await begin()
    const third = await begin()
    const heard = [await listen(second), await listen(third)] as const
    // Two are kept, so the one that comes back takes the place of the oldest of the others.
    expect(await ping(first)).toBe(200)
    await heard[0].over
    expect(heard[1].state.isOver).toBe(false)
  })

  it('does not know one that the client has ended, nor one that was never opened', async () => {
    const { begin, ping, end } = await open()
    const first = await begin()
    expect(await end(first)).toBe(204)
    expect(await ping(first)).toBe(404)
    expect(await ping('made-up')).toBe(404)
  })
})
