import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFixture } from '../../../../test/mcp/fixture-service.ts'
import { createShop, createWaiting } from '../../../../test/mcp/shop.ts'
import { legacyClient, readMessages, toHttpRequest } from '../../../../test/mcp/wire.ts'
import { createTestClock } from '../../../../test/support/forrst.ts'
import { createMcpHandler, type McpHandler, type McpHandlerOptions } from '../../../entries/mcp.ts'
import { CallError } from '../../../errors/error.ts'
import type { JsonObject } from '../../../values/json.ts'
import { createSeal, createSessions } from './sessions.ts'

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

function open(options: McpHandlerOptions = {}, service = createShop()): McpHandler {
  const handler = createMcpHandler(service, options)
  handlers.push(handler)
  return handler
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('initialize', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
  ])('answers %s with %s', async (asked, answered) => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'x' } }
    const response = await open()(
      toHttpRequest({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    )
    expect(JSON.parse(String(response.body)).result).toMatchObject({
      protocolVersion: answered,
      serverInfo: { name: 'shop', title: 'Shop', version: '3.1.0' },
      instructions: 'A shop with five hundred articles',
    })
    expect(response.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{40,}$/)
  })
})

describe('a session', () => {
  it('ends with DELETE and is not found afterwards', async () => {
    const handler = open()
    const { session, request } = await legacyClient(handler)
    const headers = { 'mcp-session-id': session }
    const ended = await handler(toHttpRequest('', headers, undefined, 'DELETE'))
    expect(ended.status).toBe(204)
    const { status, error } = await request('tools/list')
    expect(status).toBe(404)
    expect(error.message).toContain('initialize')
    expect((await handler(toHttpRequest('', headers, undefined, 'DELETE'))).status).toBe(404)
  })

  it('is unknown when its id was made up or changed', async () => {
    const handler = open()
    const { session } = await legacyClient(handler)
    for (const id of ['made-up', `${session}x`, session?.replace('.', 'A.')]) {
      const response = await handler(toHttpRequest(LIST, { 'mcp-session-id': id }))
      expect(response.status).toBe(404)
    }
  })

  it('is taken up by another process that has the same secret, and by no other', async () => {
    const capabilities = { elicitation: {} }
    const { session } = await legacyClient(open({ secret: 's' }), { capabilities })
    const headers = { 'mcp-session-id': session }
    expect((await open({ secret: 's' })(toHttpRequest(LIST, headers))).status).toBe(200)
    expect((await open({ secret: 'other' })(toHttpRequest(LIST, headers))).status).toBe(404)
  })

  it('belongs to whoever opened it', async () => {
    const service = createShop({
      authenticate: ({ header }) => ({ id: header('authorization') ?? 'nobody' }),
    })
    const handler = open({}, service)
    const { session } = await legacyClient(handler, { headers: { authorization: 'Bearer ada' } })
    const headers = { 'mcp-session-id': session }
    const own = await handler(toHttpRequest(LIST, { ...headers, authorization: 'Bearer ada' }))
    const other = await handler(toHttpRequest(LIST, { ...headers, authorization: 'Bearer eve' }))
    expect([own.status, other.status]).toEqual([200, 404])
  })

  it('makes room for others when there are too many, and comes back when it is used again', async () => {
    const handler = open({ sessions: { max: 2 } })
    const first = await legacyClient(handler)
    for (let count = 0; count < 5; count += 1) await legacyClient(handler)
    expect((await first.request('tools/list')).status).toBe(200)
  })

  it('is not needed when sessions are switched off', async () => {
    const client = await legacyClient(open({ sessions: false }))
    expect(client.session).toBeUndefined()
    expect((await client.request('tools/call', { name: 'shop__names' })).result['content']).toEqual(
      [{ type: 'text', text: '["one","two"]' }],
    )
  })

  it('refuses a protocol version that never had sessions', async () => {
    const { session } = await legacyClient(open())
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2020-01-01' }
    const response = await open()(toHttpRequest(LIST, headers))
    expect(response.status).toBe(400)
  })
})

describe('the GET stream of a session', () => {
  const get = (handler: McpHandler, session: string | undefined, accept = 'text/event-stream') =>
    handler(toHttpRequest('', { 'mcp-session-id': session, accept }, undefined, 'GET'))

  it('tells that functions came, once for many', async () => {
    const service = createShop()
    const handler = open({}, service)
    const { session } = await legacyClient(handler)
    const response = await get(handler, session)
    for (const name of ['a.b', 'a.c', 'a.d']) {
      service.registry.add({ name, version: '1.0.0', handler: () => 1 })
    }
    const methods: unknown[] = []
    for await (const { method } of readMessages(response)) {
      methods.push(method)
      if (methods.length === 3) break
    }
    expect(methods).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ])
  })

  it('tells that a followed resource changed, and nothing of the others', async () => {
    let announce: (uri: string) => void = () => undefined
    const handler = open({
      onResourceUpdate(listener) {
        announce = listener
        return () => undefined
      },
    })
    const { session, request } = await legacyClient(handler)
    const response = await get(handler, session)
    await request('resources/subscribe', { uri: 'test://a' })
    announce('test://b')
    announce('test://a')
    for await (const message of readMessages(response)) {
      expect(message).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri: 'test://a' },
      })
      break
    }
    await request('resources/unsubscribe', { uri: 'test://a' })
  })

  it('needs a session and a client that reads events', async () => {
    const handler = open()
    const { session } = await legacyClient(handler)
    expect((await get(handler, undefined)).status).toBe(405)
    expect((await get(handler, session, 'application/json')).status).toBe(406)
    const modern = { 'mcp-session-id': session, 'mcp-protocol-version': '2026-07-28' }
    expect((await handler(toHttpRequest('', modern, undefined, 'GET'))).status).toBe(405)
  })

  it('ends when the server closes', async () => {
    const handler = createMcpHandler(createShop())
    const { session } = await legacyClient(handler)
    const response = await get(handler, session)
    const all = (async () => {
      for await (const _message of readMessages(response)) return 'message'
      return 'ended'
    })()
    handler.close()
    expect(await all).toBe('ended')
  })

  it('shows a sign of life while nothing happens', async () => {
    const handler = open({ keepAliveMs: 5 })
    const { session } = await legacyClient(handler)
    const { body } = await get(handler, session)
    const chunks: string[] = []
    for await (const chunk of body as AsyncIterable<string>) {
      chunks.push(chunk)
      if (chunks.length === 2) break
    }
    expect(chunks[0]).toMatch(/^id: listen-\w+-0\nretry: 1000\ndata: \n\n$/)
    expect(chunks[1]).toBe(':\n\n')
  })
})

describe('a call in a session', () => {
  it('is cancelled by a notification, and gets no answer', async () => {
    const waiting = createWaiting()
    const client = await legacyClient(open({}, createShop({}, [waiting.definition])))
    const call = client.request('tools/call', { name: 'shop__wait' }, { id: 77 })
    await waiting.begun
    await client.notify('notifications/cancelled', { requestId: 77 })
    expect((await call).messages).toEqual([])
  })

  it('ends when its client goes away', async () => {
    const leave = new AbortController()
    const waiting = createWaiting()
    const client = await legacyClient(open({}, createShop({}, [waiting.definition])))
    const call = client.request('tools/call', { name: 'shop__wait' }, { signal: leave.signal })
    await waiting.begun
    leave.abort()
    await call
    expect(waiting.reason()).toBeInstanceOf(CallError)
  })

  it('hears of progress before its result', async () => {
    const { service, options } = createFixture()
    const client = await legacyClient(open(options, service))
    const { messages } = await client.request(
      'tools/call',
      { name: 'test_tool_with_progress' },
      { meta: { progressToken: 'p' } },
    )
    const steps = messages.map(({ params }) => (params as JsonObject | undefined)?.['progress'])
    expect(steps).toEqual([0, 50, 100, undefined])
  })

  it('is kept alive by progress when the handler says nothing for long', async () => {
    const client = await legacyClient(open({ keepAliveMs: 5 }))
    const meta = { progressToken: 1, 'waymark/deadline': { value: 500, unit: 'millisecond' } }
    const { messages } = await client.request('tools/call', { name: 'shop__pack' }, { meta })
    const steps = messages.flatMap(({ method, params }) =>
      method === 'notifications/progress' ? [Number((params as JsonObject)['progress'])] : [],
    )
    expect(steps.length).toBeGreaterThan(3)
    expect(steps[0]).toBe(25)
    expect(steps).toEqual([...new Set(steps)].sort((left, right) => left - right))
  })

  it('logs what the client wants to read', async () => {
    const { service, options } = createFixture()
    const client = await legacyClient(open(options, service))
    const call = () => client.request('tools/call', { name: 'test_tool_with_logging' })
    expect((await call()).messages).toHaveLength(4)
    await client.request('logging/setLevel', { level: 'error' })
    expect((await call()).messages).toHaveLength(1)
    expect((await client.request('logging/setLevel', { level: 'loud' })).error.code).toBe(-32602)
  })

  it('asks the client on its own stream and goes on with the answer', async () => {
    const { service, options } = createFixture()
    const client = await legacyClient(open(options, service), { capabilities: { elicitation: {} } })
    const messages = client.stream('tools/call', {
      name: 'test_elicitation',
      arguments: { message: 'Who?' },
    })
    const { value: question } = await messages.next()
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } })
    const reply = { action: 'accept', content: { username: 'ada' } }
    expect(await client.respond((question as JsonObject)['id'], reply)).toBe(202)
    const { value: answer } = await messages.next()
    expect(JSON.stringify(answer)).toContain('ada')
  })

  it('tells the model that the client cannot be asked', async () => {
    const { service, options } = createFixture()
    const client = await legacyClient(open(options, service))
    const { result } = await client.request('tools/call', { name: 'test_missing_capability' })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result['content'])).toContain('CLIENT_CAPABILITY_MISSING')
  })

  it('drops answers nobody waits for', async () => {
    const client = await legacyClient(open())
    expect(await client.respond('never-asked', {})).toBe(202)
    await vi.waitFor(async () => expect((await client.request('ping')).result).toEqual({}))
  })
})

describe('sessions in memory', () => {
  const introduction = { version: '2025-11-25', capabilities: {}, caller: undefined }

  it('are no more than allowed; one that was forgotten is taken up again from its id', () => {
    const clock = createTestClock()
    const sessions = createSessions(createSeal('secret', clock), clock, { max: 2 })
    const [first, second] = [sessions.open(introduction, 'ada'), sessions.open(introduction, 'ada')]
    expect(sessions.find(first.id, 'ada')).toBe(first)
    clock.advance(1)
    sessions.open(introduction, 'ada')
    // The one that was not used for longer makes room.
    expect(sessions.find(first.id, 'ada')).toBe(first)
    const again = sessions.find(second.id, 'ada')
    expect(again).toMatchObject({ id: second.id, introduction })
    expect(again).not.toBe(second)
    sessions.close()
  })
})
