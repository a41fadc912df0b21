import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createMcpHandler, type McpHandler, type McpHandlerOptions } from '../../src/entries/mcp.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { callerOf } from '../../src/net/caller.ts'
import { createEnvironment } from '../../src/surfaces/mcp/environment.ts'
import type { McpExchange } from '../../src/surfaces/mcp/protocol.ts'
import { createMcpServer } from '../../src/surfaces/mcp/server.ts'
import { createSeal, createSessions } from '../../src/surfaces/mcp/session/sessions.ts'
import { memoryTaskRecords, type TaskRecord } from '../../src/surfaces/mcp/tasks/records.ts'
import { createToolMethods } from '../../src/surfaces/mcp/tools/tools.ts'
import type { HttpRequest } from '../../src/wire/http.ts'
import { createShop } from '../mcp/shop.ts'
import { legacyClient, modernClient, toHttpRequest } from '../mcp/wire.ts'
import { createTestClock } from '../support/forrst.ts'

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

function open(options: McpHandlerOptions = {}, service = createShop()): McpHandler {
  const handler = createMcpHandler(service, options)
  handlers.push(handler)
  return handler
}

const MEGABYTE = 1_000_000
const NEAR_LIMIT = 'x'.repeat(MEGABYTE)

/** Starts a service that cannot afford to remember what it is sent. */
async function startSmall(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const worker = fileURLToPath(new URL('./small-process.ts', import.meta.url))
  const execArgv = ['--max-old-space-size=64', '--conditions=waymark-source', '--import', 'tsx']
  const child = fork(worker, { execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const [url] = (await once(child, 'message')) as [string]
  return { url, child }
}

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })

const initialize = (params: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' }, ...params },
})

const INTRODUCTION = { version: '2025-11-25', capabilities: {}, caller: undefined }

const from = (address: string, request: HttpRequest): HttpRequest => ({
  ...request,
  peerAddress: () => address,
})

describe('a process of 64 MB', () => {
  let small: Awaited<ReturnType<typeof startSmall>>
  beforeAll(async () => {
    small = await startSmall()
  }, 60_000)
  afterAll(() => void small.child.kill('SIGKILL'))

  const survives = async () => {
    expect(small.child.exitCode).toBeNull()
    expect((await fetch(`${small.url}/health/live`)).status).toBe(200)
  }

  it.each([
    ['capabilities', initialize({ capabilities: { experimental: { padding: NEAR_LIMIT } } })],
    ['a used capability', initialize({ capabilities: { sampling: { padding: NEAR_LIMIT } } })],
    ['the name of the client', initialize({ clientInfo: { name: NEAR_LIMIT } })],
  ])(
    'as reported: survives 40 times 1 MB in %s of initialize',
    async (_where, body) => {
      for (let count = 0; count < 40; count += 1) {
        expect((await post(small.url, body)).status).toBe(200)
      }
      await survives()
    },
    60_000,
  )

  it('beside it: survives 40 times 1 MB in the URI of a followed resource', async () => {
    for (let count = 0; count < 40; count += 1) {
      const opened = await post(small.url, initialize({}))
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      const params = { uri: `a:${count}${NEAR_LIMIT}` }
      const body = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params }
      await post(small.url, body, session)
    }
    await survives()
  }, 60_000)
})

describe('as reported: anonymous initialize', () => {
  it('keeps only the capabilities that are used, and nothing of their contents', () => {
    const server = createMcpServer(createShop())
    const { introduction } = server.introduce({
      protocolVersion: '2025-06-18',
      capabilities: { elicitation: { form: {} }, experimental: { padding: 'x' } },
      clientInfo: { name: 'x'.repeat(300), version: '1', padding: 'x' },
    })
    expect(introduction).toEqual({
      version: '2025-06-18',
      capabilities: { elicitation: {} },
      caller: 'x'.repeat(200),
    })
    server.close()
  })

  it('gives an id that fits into a header, however the client calls itself', async () => {
    const response = await open()(
      toHttpRequest(initialize({ clientInfo: { name: '\u{1F600}'.repeat(100_000) } })),
    )
    expect(String(response.headers['mcp-session-id']).length).toBeLessThan(2_000)
  })

  it('ends by time as the option says, also for a client that knows the id', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { idleMs: 1_000 })
    const used = sessions.open(INTRODUCTION, '')
    const idle = sessions.open(INTRODUCTION, '')
    clock.advance(600)
    expect(sessions.find(used.id, '')).toBe(used)
    clock.advance(600)
    expect(sessions.find(used.id, '')).toBe(used)
    expect(sessions.find(idle.id, '')).toBeUndefined()
    sessions.close()
  })

  it('ends by time when nobody calls again', async () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { idleMs: 10 })
    const session = sessions.open(INTRODUCTION, '')
    let ended = false
    session.streams.open('answer', 1_000, () => {
      ended = true
    })
    clock.advance(20)
    await expect.poll(() => ended).toBe(true)
    sessions.close()
  })

  it('does not end a session by time while a call of it runs or a stream is open', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { idleMs: 1_000 })
    const calling = sessions.open(INTRODUCTION, '')
    calling.peer.track(1, { abort() {} } as never)
    const listening = sessions.open(INTRODUCTION, '')
    listening.streams.open('listen', 1_000, () => undefined).connect(0)
    clock.advance(5_000)
    expect(sessions.find(calling.id, '')).toBe(calling)
    expect(sessions.find(listening.id, '')).toBe(listening)
    sessions.close()
  })

  it('is bounded in number per caller: the own oldest session makes room, not that of another', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { maxPerCaller: 2 })
    const other = sessions.open(INTRODUCTION, '', 'other')
    const first = sessions.open(INTRODUCTION, '', 'flood')
    for (let count = 0; count < 10; count += 1) sessions.open(INTRODUCTION, '', 'flood')
    expect(sessions.find(other.id, '', 'other')).toBe(other)
    // Taken up again from its id, so not the same.
    expect(sessions.find(first.id, '', 'flood')).not.toBe(first)
    sessions.close()
  })

  it('is bounded in bytes per caller: messages kept for one session push out the own others', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { maxBytesPerCaller: 50_000 })
    const other = sessions.open(INTRODUCTION, '', 'other')
    const first = sessions.open(INTRODUCTION, '', 'flood')
    const second = sessions.open(INTRODUCTION, '', 'flood')
    second.streams.open('answer', 1_000, () => undefined).push('x'.repeat(30_000))
    expect(sessions.find(second.id, '', 'flood')).toBe(second)
    expect(sessions.find(other.id, '', 'other')).toBe(other)
    expect(sessions.find(first.id, '', 'flood')).not.toBe(first)
    sessions.close()
  })

  it('is bounded in bytes altogether', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { maxBytes: 50_000 })
    const first = sessions.open(INTRODUCTION, '', 'a')
    for (const caller of ['b', 'c', 'd']) {
      const session = sessions.open(INTRODUCTION, '', caller)
      session.streams.open('answer', 1_000, () => undefined).push('x'.repeat(10_000))
    }
    expect(sessions.find(first.id, '', 'a')).not.toBe(first)
    sessions.close()
  })

  it('lets a function name the caller, as a trusted proxy needs it', async () => {
    const handler = open({
      sessions: { maxPerCaller: 1 },
      callerKey: ({ header }) => header('x-client') ?? '',
    })
    const body = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'a:b' } }
    const begin = async (client: string) => {
      const response = await handler(toHttpRequest(initialize({}), { 'x-client': client }))
      const headers = {
        'x-client': client,
        'mcp-session-id': String(response.headers['mcp-session-id']),
      }
      await handler(toHttpRequest(body, headers))
      return headers
    }
    const listen = (headers: Readonly<Record<string, string>>, last: string) =>
      handler(
        toHttpRequest(
          '',
          { ...headers, accept: 'text/event-stream', 'last-event-id': last },
          undefined,
          'GET',
        ),
      )
    const kept = await begin('proxy says a')
    await begin('proxy says b')
    await begin('proxy says b')
    expect((await listen(kept, 'listen-00000000-1')).status).toBe(200)
  })

  it('names callers by principal, otherwise by the network of their connection', () => {
    const request = toHttpRequest('')
    expect(callerOf(request, { id: 'ada' })).toBe('principal ada')
    expect(callerOf(from('203.0.113.7', request), undefined)).toBe('203.0.113.7')
    expect(callerOf(from('::ffff:203.0.113.7', request), undefined)).toBe('203.0.113.7')
    const one = callerOf(from('2001:db8:1:2::1', request), undefined)
    expect(callerOf(from('2001:db8:1:2:ffff:ffff:ffff:ffff', request), undefined)).toBe(one)
    expect(callerOf(from('2001:db8:1:3::1', request), undefined)).not.toBe(one)
    expect(callerOf(request, undefined)).toBe('')
  })
})

describe('beside it: what else a caller can make a process remember', () => {
  it('remembers ended sessions by a digest, and no more of them than sessions', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('s', clock), clock, { max: 2 })
    const ids = [1, 2, 3].map(() => sessions.open(INTRODUCTION, '').id)
    for (const id of ids) expect(sessions.end(id, '')).toBe(true)
    expect(sessions.find(ids[2] ?? '', '')).toBeUndefined()
    expect(sessions.find(ids[1] ?? '', '')).toBeUndefined()
    sessions.close()
  })

  it('bounds the resources a session follows, in number and in bytes', async () => {
    const client = await legacyClient(open())
    const long = (index: number) => `a:${index}${'y'.repeat(20_000)}`
    const statuses: boolean[] = []
    for (let index = 0; index < 5; index += 1) {
      const { error } = await client.request('resources/subscribe', { uri: long(index) })
      statuses.push(error.message === '')
    }
    expect(statuses).toEqual([true, true, true, false, false])
    await client.request('resources/unsubscribe', { uri: long(0) })
    expect((await client.request('resources/subscribe', { uri: long(3) })).error.message).toBe('')
  })

  it('refuses a request that listens and is long', async () => {
    const client = modernClient(open())
    const { status, error } = await client.request('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['a:b'] },
      padding: 'x'.repeat(70_000),
    })
    expect([status, error.message]).toEqual([413, expect.stringContaining('65536 bytes')])
  })

  it('bounds the streams of notifications of one caller, and counts them down when they end', async () => {
    const handler = open({
      subscriptions: { maxPerCaller: 2 },
      callerKey: ({ header }) => header('x-client') ?? '',
    })
    const client = modernClient(handler)
    const params = { notifications: { toolsListChanged: true } }
    const start = async (name: string) => {
      const ended = new AbortController()
      const stream = client.stream('subscriptions/listen', params, {
        headers: { 'x-client': name },
        signal: ended.signal,
      })
      await stream.next()
      return async () => {
        ended.abort()
        await stream.return()
      }
    }
    const leave = await start('a')
    const leaveToo = await start('a')
    const refused = await client.request('subscriptions/listen', params, {
      headers: { 'x-client': 'a' },
    })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10'])
    const leaveOther = await start('b')
    await leave()
    await expect
      .poll(async () => {
        const again = await start('a').catch(() => undefined)
        await again?.()
        return again !== undefined
      })
      .toBe(true)
    await leaveToo()
    await leaveOther()
  })

  it('keeps no page of tools for a cursor that names any tool', () => {
    const environment = createEnvironment(createShop(), { pageSize: 2 })
    const list = createToolMethods(environment)['tools/list']
    const ask = (cursor?: string) =>
      list?.({ era: 'legacy', params: cursor === undefined ? {} : { cursor } } as McpExchange)
    const names = JSON.parse(String(Buffer.from(ask() as Uint8Array))).tools as { name: string }[]
    const odd = Buffer.from(`1:${names[0]?.name}`).toString('base64url')
    expect(ask()).toBe(ask())
    expect(ask(odd)).not.toBe(ask(odd))
    environment.changes.close()
  })

  it('bounds the results of tasks in bytes: the oldest make room, running ones stay', () => {
    const clock = createTestClock()
    const records = memoryTaskRecords(clock, { max: 10, maxPerCaller: 10, maxBytes: 10_000 })
    const task = (id: string): TaskRecord => ({
      id,
      owner: '',
      status: 'working',
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ttlMs: 1_000,
    })
    for (const id of ['running', 'first', 'second', 'third']) records.create(task(id), 'a')
    for (const id of ['first', 'second', 'third']) {
      records.put({ ...task(id), status: 'completed', result: 'x'.repeat(2_000) })
    }
    expect(records.get('first')).toBeUndefined()
    expect(records.get('second')).toBeDefined()
    expect(records.get('third')).toBeDefined()
    expect(records.get('running')).toBeDefined()
  })

  it('starts no timer for an app that nobody calls', () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const app = createApp(createShop(), { surfaces: allSurfaces() })
    const after = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    app.close?.()
    expect(after).toBe(before)
  })
})
