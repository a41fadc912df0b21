import { describe, expect, it } from 'vitest'
import { HAS_FIXTURES, VERSION } from '../../../test/support/ucp.ts'
import { type Answer, createNetwork, open } from '../../../test/support/ucp-network.ts'
import type { PublicRequest } from '../../net/public-address.ts'

describe.skipIf(!HAS_FIXTURES)('a session over the published documents (needs ../shared)', () => {
  it('gives the code of a business error, in either shape', async () => {
    const flat = {
      code: 'version_unsupported',
      content: 'too old',
      continue_url: 'https://s.example',
    }
    const wrapped = {
      ucp: { version: VERSION, status: 'error' },
      messages: [
        { type: 'error', code: 'out_of_stock', content: 'gone', severity: 'unrecoverable' },
      ],
    }
    const network = createNetwork({
      'https://shop.example/ucp/v1/carts/a': () => ({ status: 422, body: flat }),
      'https://shop.example/ucp/v1/carts/b': () => ({ body: wrapped }),
      'https://shop.example/ucp/v1/carts/c': () => ({ status: 503 }),
      'https://shop.example/ucp/v1/carts/d': () => ({ body: 'not json', headers: { raw: 'yes' } }),
    })
    const session = await open(network)
    const codes = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (id) => {
        const result = await session.call('get_cart', { id })
        return result.ok ? 'ok' : [result.error.code, result.error.message]
      }),
    )
    expect(codes).toEqual([
      ['version_unsupported', 'too old'],
      ['out_of_stock', 'gone'],
      ['REMOTE_ERROR', 'the business answered with status 503'],
      ['INVALID_RESPONSE', 'the answer is not JSON'],
    ])
  })

  it('reads MCP answers from event streams, errors and plain text content', async () => {
    const answers: ((id: string) => Answer)[] = [
      (id) => ({
        headers: { 'content-type': 'text/event-stream' },
        body: `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: ${JSON.stringify(
          { jsonrpc: '2.0', id, result: { structuredContent: { streamed: true } } },
        )}\n\n`,
      }),
      (id) => ({
        body: {
          jsonrpc: '2.0',
          id,
          error: {
            code: -32001,
            message: 'bad',
            data: { code: 'profile_malformed', content: 'no' },
          },
        },
      }),
      (id) => ({
        body: { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: '{"a":1}' }] } },
      }),
      (id) => ({ body: { jsonrpc: '2.0', id, result: { isError: true, content: [] } } }),
    ]
    const network = createNetwork({
      'https://shop.example/ucp/mcp': ({ body }: PublicRequest) => {
        const next = answers.shift()
        return next?.(JSON.parse(String(body)).id) ?? {}
      },
    })
    const session = await open(network, { transports: ['mcp'] })
    const results = []
    for (let index = 0; index < 4; index += 1) {
      results.push(await session.call('get_cart', { id: 'c' }))
    }
    expect(results).toMatchObject([
      { ok: true, value: { streamed: true } },
      { ok: false, error: { code: 'profile_malformed', message: 'no' } },
      { ok: true, value: { a: 1 } },
      { ok: false, error: { code: 'TOOL_FAILED' } },
    ])
  })
})
