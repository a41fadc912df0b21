import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { createShop, createWaiting } from '../../../test/mcp/shop.ts'
import { readMessages, toHttpRequest } from '../../../test/mcp/wire.ts'
import { createWireCheck } from '../../../test/mcp/wire-schema.ts'
import {
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
  serveStdio,
} from '../../entries/mcp.ts'
import type { JsonObject } from '../../values/json.ts'

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

const request = (id: unknown, method: string, params: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const introduce = (protocolVersion: string) =>
  request(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x' } })
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** Opens a session and gives what sends a body in it. */
async function connect(
  version = '2025-03-26',
  options: McpHandlerOptions = {},
  service = createShop(),
) {
  const handler = createMcpHandler(service, options)
  handlers.push(handler)
  const { headers } = await handler(toHttpRequest(introduce(version)))
  const session = String(headers['mcp-session-id'])
  return async (body: unknown, more: Readonly<Record<string, string>> = {}) => {
    const response = await handler(toHttpRequest(body, { 'mcp-session-id': session, ...more }))
    const messages: unknown[] = []
    for await (const message of readMessages(response)) {
      messages.push(message)
      // There is no schema of 2025-03-26 here; the next one says the same about each message.
      for (const entry of [message].flat()) {
        if ('id' in entry) createWireCheck('2025-06-18').message(entry)
      }
    }
    return { status: response.status, headers: response.headers, messages }
  }
}

describe('a batch of a client of 2025-03-26', () => {
  it('gets one answer per request, each under its id, in one document', async () => {
    const send = await connect()
    const { status, headers, messages } = await send([
      request(1, 'ping'),
      initialized,
      request('two', 'tools/call', { name: 'shop__names' }),
    ])
    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    expect(messages).toEqual([
      [
        { jsonrpc: '2.0', id: 1, result: {} },
        {
          jsonrpc: '2.0',
          id: 'two',
          result: { content: [{ type: 'text', text: '["one","two"]' }] },
        },
      ],
    ])
  })

  it('gets an error for each entry that makes no sense, and the answers of the others', async () => {
    const send = await connect()
    const { status, messages } = await send([
      request(1, 'ping'),
      request(2, 'no/such/method'),
      { jsonrpc: '1.0', id: 3, method: 'ping' },
      'nonsense',
      [],
      introduce('2025-03-26'),
    ])
    const answers = messages[0] as readonly { id?: unknown; error?: { code: number } }[]
    expect(status).toBe(200)
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, -32601],
      [3, -32600],
      [undefined, -32600],
      [undefined, -32600],
      [0, -32600],
    ])
  })

  it('is accepted without an answer when nothing in it asks for one', async () => {
    const send = await connect()
    const { status, messages } = await send([
      initialized,
      { jsonrpc: '2.0', id: 'nobody-asked', result: {} },
    ])
    expect([status, messages]).toEqual([202, []])
  })

  it('hears of progress on one stream, then gets every answer', async () => {
    const send = await connect()
    const slow = request(1, 'tools/call', {
      name: 'shop__pack',
      _meta: { progressToken: 'p', 'waymark/deadline': { value: 40, unit: 'millisecond' } },
    })
    const { headers, messages } = await send([slow, request(2, 'ping')])
    expect(headers['content-type']).toBe('text/event-stream')
    expect(messages).toMatchObject([
      { method: 'notifications/progress' },
      { id: 1, result: { isError: true } },
      { id: 2, result: {} },
    ])
  })

  it('answers what was not taken back', async () => {
    const waiting = createWaiting()
    const send = await connect('2025-03-26', {}, createShop({}, [waiting.definition]))
    const running = send([
      request(1, 'tools/call', { name: 'shop__wait' }),
      request(2, 'tools/call', { name: 'shop__names' }),
    ])
    await waiting.begun
    await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect((await running).messages).toMatchObject([[{ id: 2 }]])
  })

  it('must have at least one message and at most a hundred', async () => {
    const send = await connect()
    for (const count of [0, 101]) {
      const { status, messages } = await send(Array.from({ length: count }, () => initialized))
      expect(status).toBe(400)
      expect(messages).toMatchObject([{ error: { code: -32600 } }])
    }
    expect((await send(Array.from({ length: 100 }, () => initialized))).status).toBe(202)
  })
})

describe('a batch of any other client', () => {
  it.each(['2025-11-25', '2025-06-18', '2024-11-05'])('is refused in %s', async (version) => {
    const send = await connect(version)
    const { status, messages } = await send([request(1, 'ping')])
    expect(status).toBe(400)
    expect(messages).toMatchObject([
      { error: { code: -32600, message: expect.stringContaining('2025-03-26 only') } },
    ])
  })

  it('is refused in 2026-07-28', async () => {
    const send = await connect()
    const { status, messages } = await send([request(1, 'tools/list')], {
      'mcp-protocol-version': '2026-07-28',
    })
    expect(status).toBe(400)
    expect(JSON.stringify(messages)).toContain('2025-03-26 only')
  })
})

describe('a batch on standard input', () => {
  async function talk(version: string, lines: readonly unknown[]): Promise<readonly unknown[]> {
    const input = new PassThrough()
    const output = new PassThrough()
    const served = serveStdio(createShop(), { input, output })
    for (const line of [introduce(version), ...lines]) input.write(`${JSON.stringify(line)}\n`)
    input.end()
    await served
    const [, ...rest] = String(output.read()).trim().split('\n')
    return rest.map((line) => JSON.parse(line) as unknown)
  }

  it('is answered with a batch', async () => {
    const answers = await talk('2025-03-26', [
      [request(1, 'ping'), initialized, request(2, 'no/such'), 'nonsense'],
      [initialized],
      request(3, 'ping'),
    ])
    expect(answers).toMatchObject([
      [{ id: 1, result: {} }, { id: 2, error: { code: -32601 } }, { error: { code: -32600 } }],
      { id: 3, result: {} },
    ])
  })

  it('is refused in another revision', async () => {
    const answers = await talk('2025-11-25', [[request(1, 'ping')]])
    expect(answers).toMatchObject([
      { error: { code: -32600, message: expect.stringContaining('2025-03-26 only') } },
    ])
  })
})
