import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createFixture } from '../../../../test/mcp/fixture-service.ts'
import { createShop } from '../../../../test/mcp/shop.ts'
import { createWireCheck } from '../../../../test/mcp/wire-schema.ts'
import type { Service } from '../../../core/service.ts'
import { type StdioOptions, serveStdio } from '../../../entries/mcp.ts'
import { CallError } from '../../../errors/error.ts'
import type { JsonObject } from '../../../values/json.ts'

interface Pipe {
  readonly write: (message: JsonObject | string) => void
  /** Waits for the next message. */
  readonly next: () => Promise<JsonObject>
  readonly end: () => Promise<void>
}

function open(service: Service = createShop(), options: Partial<StdioOptions> = {}): Pipe {
  const input = new PassThrough()
  const output = new PassThrough()
  const ended = serveStdio(service, { ...options, input, output })
  const lines = readLines(output)
  return {
    write: (message) =>
      void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    next: async () => (await lines.next()).value as JsonObject,
    end: async () => {
      input.end()
      await ended
    },
  }
}

async function* readLines(output: PassThrough): AsyncGenerator<JsonObject> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as JsonObject
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}
const request = (id: number | string, method: string, params: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const modern = (id: number | string, method: string, params: JsonObject = {}) =>
  request(id, method, { ...params, _meta: META })

describe('serveStdio', () => {
  it('serves both eras on one pipe', async () => {
    const pipe = open()
    pipe.write(request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {} }))
    expect(await pipe.next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } })
    pipe.write(request(2, 'tools/call', { name: 'shop__names' }))
    const legacy = await pipe.next()
    createWireCheck('2025-06-18').result('tools/call', legacy['result'] as Record<string, unknown>)
    pipe.write(modern(3, 'tools/call', { name: 'shop__names' }))
    const stateless = await pipe.next()
    createWireCheck('2026-07-28').result(
      'tools/call',
      stateless['result'] as Record<string, unknown>,
    )
    await pipe.end()
  })

  it('answers under the right id when a later call is quicker', async () => {
    const { service, options } = createFixture()
    const pipe = open(service, options)
    pipe.write(modern('slow', 'tools/call', { name: 'test_tool_with_logging' }))
    pipe.write(modern('quick', 'tools/call', { name: 'greet', arguments: { name: 'x' } }))
    expect((await pipe.next())['id']).toBe('quick')
    expect((await pipe.next())['id']).toBe('slow')
    await pipe.end()
  })

  it('cancels a call and sends nothing more for it', async () => {
    const pipe = open()
    pipe.write(modern(1, 'tools/call', { name: 'shop__pack' }))
    pipe.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    pipe.write(modern(2, 'tools/list'))
    expect((await pipe.next())['id']).toBe(2)
    await pipe.end()
  })

  it('asks a client before 2026 in the middle of a call', async () => {
    const { service, options } = createFixture()
    const pipe = open(service, options)
    const capabilities = { elicitation: {} }
    pipe.write(request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities }))
    await pipe.next()
    pipe.write(
      request(2, 'tools/call', { name: 'test_elicitation', arguments: { message: 'Who?' } }),
    )
    const question = await pipe.next()
    expect(question).toMatchObject({ method: 'elicitation/create' })
    const result = { action: 'accept', content: { username: 'ada' } }
    pipe.write({ jsonrpc: '2.0', id: question['id'] as string, result })
    expect(JSON.stringify(await pipe.next())).toContain('ada')
    pipe.write(
      request(3, 'tools/call', { name: 'test_elicitation', arguments: { message: 'Who?' } }),
    )
    const { id } = await pipe.next()
    pipe.write({ jsonrpc: '2.0', id: id as string, error: { code: -1, message: 'not now' } })
    expect(JSON.stringify(await pipe.next())).toContain('CLIENT_REFUSED')
    await pipe.end()
  })

  it('tells introduced clients that the tools changed', async () => {
    const service = createShop()
    const pipe = open(service)
    pipe.write(request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} }))
    await pipe.next()
    pipe.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
    pipe.write(request(2, 'ping'))
    await pipe.next()
    service.registry.remove('shop.find')
    expect((await pipe.next())['method']).toBe('notifications/tools/list_changed')
    await pipe.end()
  })

  it('goes on after lines that are not messages', async () => {
    const pipe = open(createShop({ limits: { maxRequestBytes: 200 } }))
    pipe.write('nonsense')
    expect(await pipe.next()).toMatchObject({ error: { code: -32700 } })
    pipe.write('')
    pipe.write('[]')
    expect(await pipe.next()).toMatchObject({ error: { code: -32600 } })
    pipe.write(`"${'x'.repeat(500)}"`)
    expect(await pipe.next()).toMatchObject({
      error: { message: 'The message is longer than 200 bytes' },
    })
    pipe.write(request(1, 'ping'))
    expect(await pipe.next()).toMatchObject({ id: 1, result: {} })
    pipe.write(request(2, 'server/discover'))
    expect(await pipe.next()).toMatchObject({ id: 2, error: { code: -32602 } })
    await pipe.end()
  })

  it('refuses versions nobody speaks', async () => {
    const pipe = open()
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' }
    pipe.write(request(1, 'server/discover', { _meta: meta }))
    expect(await pipe.next()).toMatchObject({
      error: { code: -32022, data: { requested: '2031-01-01' } },
    })
    await pipe.end()
  })

  it('reads lines however they are cut into chunks', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const ended = serveStdio(createShop(), { input, output })
    const bytes = Buffer.from(`${JSON.stringify(request('ä', 'ping'))}\r\n`)
    for (const byte of bytes) input.write(Buffer.from([byte]))
    const { value } = await readLines(output).next()
    expect(value).toMatchObject({ id: 'ä' })
    input.end()
    await ended
  })

  it('lets quick calls finish when the input ends, and ends those that do not', async () => {
    const { service, options } = createFixture()
    const pipe = open(service, options)
    pipe.write(modern(1, 'tools/call', { name: 'test_tool_with_logging' }))
    const ended = pipe.end()
    expect((await pipe.next())['id']).toBe(1)
    await ended
    const other = open(createShop(), { graceMs: 5 })
    other.write(modern(1, 'tools/call', { name: 'shop__pack' }))
    await other.end()
  })

  it('hands a token to the service that asks for one', async () => {
    const service = createShop({
      authenticate: ({ header }) => {
        if (header('authorization') !== 'Bearer t') throw new CallError('UNAUTHORIZED')
        return { id: 'ada' }
      },
    })
    const refused = open(service)
    refused.write(modern(1, 'tools/list'))
    expect(await refused.next()).toMatchObject({ id: 1, error: { message: expect.any(String) } })
    await refused.end()
    const served = open(service, { token: 't' })
    served.write(modern(1, 'tools/list'))
    expect(await served.next()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
    await served.end()
  })
})
