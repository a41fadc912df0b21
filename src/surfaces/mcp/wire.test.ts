import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { modernClient, readMessages, toHttpRequest } from '../../../test/mcp/wire.ts'
import { createWireCheck, HAS_SCHEMAS } from '../../../test/mcp/wire-schema.ts'
import { fc, hostileJson } from '../../../test/support/property.ts'
import { defineFunction } from '../../core/function.ts'
import { createMcpHandler } from '../../entries/mcp.ts'
import type { JsonObject } from '../../values/json.ts'

const EXAMPLES = join(import.meta.dirname, '../../../../shared/fixtures/mcp/examples-2026-07-28')

function readRequests(): readonly [string, JsonObject][] {
  if (!existsSync(EXAMPLES)) return []
  return readdirSync(EXAMPLES)
    .filter((kind) => kind.endsWith('Request'))
    .flatMap((kind) =>
      readdirSync(join(EXAMPLES, kind)).map((file): [string, JsonObject] => [
        `${kind}/${file}`,
        JSON.parse(readFileSync(join(EXAMPLES, kind, file), 'utf8')) as JsonObject,
      ]),
    )
    .filter(([, message]) => message['jsonrpc'] === '2.0')
}

describe.skipIf(!HAS_SCHEMAS)('fixtures of the revisions (../shared/fixtures/mcp)', () => {
  const requests = readRequests()

  it.each(requests.length > 0 ? requests : [['none', {}]])(
    'understands the example request %s',
    async (_name, message) => {
      const params = message['params'] as JsonObject
      const name = params['name'] ?? params['uri']
      const handler = createMcpHandler(createShop())
      const controller = new AbortController()
      const response = await handler(
        toHttpRequest(
          message,
          {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': String(message['method']),
            ...(typeof name === 'string' && { 'mcp-name': name }),
          },
          controller.signal,
        ),
      )
      expect(response.status).toBe(200)
      for await (const answer of readMessages(response)) {
        createWireCheck('2026-07-28').message(answer)
        expect(answer['id'] ?? message['id']).toBe(message['id'])
        controller.abort()
      }
    },
  )

  it('would notice a message that the schema refuses', () => {
    const check = createWireCheck('2026-07-28')
    expect(() => check.result('tools/list', { tools: [] })).toThrow('ListToolsResult')
    expect(() => check.message({ jsonrpc: '1.0' })).toThrow('JSONRPCMessage')
    expect(() => createWireCheck('2025-06-18').result('tools/call', {})).toThrow('CallToolResult')
  })
})

describe('requests of the stateless revision', () => {
  const handler = createMcpHandler(createShop())
  const client = modernClient(handler)

  it('discovers versions, capabilities and who is there', async () => {
    const { result } = await client.request('server/discover')
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: {
        tools: { listChanged: true },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      instructions: 'A shop with five hundred articles',
      ttlMs: 60_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'shop', version: '3.1.0' } },
    })
  })

  it.each([
    ['a missing version header', { 'mcp-protocol-version': undefined }, -32020],
    ['another version in the header', { 'mcp-protocol-version': '2025-11-25' }, -32020],
    ['a missing method header', { 'mcp-method': undefined }, -32020],
    ['another method in the header', { 'mcp-method': 'tools/list' }, -32020],
    ['another name in the header', { 'mcp-name': 'shop__order' }, -32020],
    ['a name header that is not base64', { 'mcp-name': '=?base64?!!?=' }, -32020],
  ])('refuses %s', async (_case, headers, code) => {
    const { error, status } = await client.request(
      'tools/call',
      { name: 'shop__names' },
      { headers },
    )
    expect(error.code).toBe(code)
    expect(status).toBe(400)
  })

  it('reads an encoded name header', async () => {
    const encoded = `=?base64?${Buffer.from('shop__names').toString('base64')}?=`
    const { result } = await client.request(
      'tools/call',
      { name: 'shop__names' },
      { headers: { 'mcp-name': encoded } },
    )
    expect(result['structuredContent']).toEqual(['one', 'two'])
  })

  it.each([
    ['says the same', { region: 'eu' }, { 'mcp-param-region': 'eu' }, 200],
    ['is missing', { region: 'eu' }, {}, 400],
    ['says something else', { region: 'eu' }, { 'mcp-param-region': 'us' }, 400],
    ['says what no argument says', {}, { 'mcp-param-region': 'us' }, 400],
  ])(
    'compares an argument with its header: one that %s',
    async (_case, input, headers, expected) => {
      const route = defineFunction({
        name: 'shop.route',
        version: '1.0.0',
        input: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        },
        handler: () => 'routed',
      })
      const client = modernClient(createMcpHandler(createShop({}, [route])))
      const { status, error } = await client.request(
        'tools/call',
        { name: 'shop__route', arguments: input },
        { headers },
      )
      expect(status).toBe(expected)
      expect(error.code === -32020).toBe(expected === 400)
    },
  )

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'tasks/list'])(
    'does not know %s',
    async (method) => {
      const { error, status } = await client.request(method)
      expect(error.code).toBe(-32601)
      expect(status).toBe(404)
    },
  )
})

describe('bytes nobody expects', () => {
  const handler = createMcpHandler(createShop())

  it.each([
    ['no JSON', '{"jsonrpc"', 400, -32700],
    ['nothing', '', 400, -32700],
    ['a batch', '[]', 400, -32600],
    ['a number', '5', 400, -32600],
    ['no version', '{"id":1,"method":"ping"}', 400, -32600],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['a method that is not text', '{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
    [
      'params that are not an object',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
      400,
      -32602,
    ],
    ['neither method nor result', '{"jsonrpc":"2.0","id":1}', 400, -32600],
    [
      'a poisoned key',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":1}}',
      400,
      -32600,
    ],
    [
      'too many levels',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`,
      400,
      -32600,
    ],
  ])('answers %s', async (_case, body, status, code) => {
    const response = await handler(toHttpRequest(body))
    expect(response.status).toBe(status)
    expect(JSON.parse(String(response.body)).error.code).toBe(code)
  })

  it('refuses bodies that are too long or no JSON by their own word', async () => {
    const long = await handler({ ...toHttpRequest(''), bodyTooLarge: true })
    expect(long.status).toBe(413)
    const text = await handler(toHttpRequest('{}', { 'content-type': 'text/plain' }))
    expect(text.status).toBe(415)
  })

  it('answers any message with a message, whatever is in it', async () => {
    const checks = { modern: createWireCheck('2026-07-28'), legacy: createWireCheck('2025-11-25') }
    const methods = fc.constantFrom(
      'tools/call',
      'tools/list',
      'resources/read',
      'prompts/get',
      'completion/complete',
      'logging/setLevel',
      'tasks/get',
      'tasks/update',
      'server/discover',
      'initialize',
    )
    const message = fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.integer(), fc.string()),
        method: methods,
        params: fc.oneof(
          fc.dictionary(
            fc.constantFrom(
              'name',
              'uri',
              'arguments',
              'cursor',
              'ref',
              'argument',
              '_meta',
              'taskId',
              'inputResponses',
              'requestState',
            ),
            hostileJson({ maxDepth: 2 }) as fc.Arbitrary<unknown>,
          ),
          hostileJson({ maxDepth: 1 }) as fc.Arbitrary<unknown>,
        ),
      },
      { requiredKeys: ['jsonrpc', 'id', 'method'] },
    )
    await fc.assert(
      fc.asyncProperty(message, fc.boolean(), async (document, modern) => {
        const headers = modern
          ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': document.method }
          : {}
        const response = await handler(toHttpRequest(document, headers))
        const check = modern ? checks.modern : checks.legacy
        for await (const answer of readMessages(response)) check.message(answer)
        expect(response.status).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
  })
})
