import { describe, expect, it } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { modernClient, toHttpRequest } from '../../../test/mcp/wire.ts'
import {
  type Authorization,
  createMcpHandler,
  createProtectedResourceHandler,
} from '../../entries/mcp.ts'
import { CallError } from '../../errors/error.ts'
import { metadataPaths } from './index.ts'

const LIST = { jsonrpc: '2.0', id: 9, method: 'tools/list' }
const AUTHORIZATION: Authorization = {
  resource: 'https://api.example.com/mcp',
  authorizationServers: ['https://login.example.com'],
  scopes: ['orders'],
}

describe('the handler by itself', () => {
  const handler = createMcpHandler(createShop(), {
    allowedHosts: ['shop.example.com'],
    allowedOrigins: ['https://app.example.com'],
  })
  const status = async (headers: Record<string, string | undefined>) =>
    (await handler(toHttpRequest(LIST, headers))).status

  it.each([
    [{ host: 'evil.example.com' }, 403],
    [{ host: undefined }, 403],
    [{ host: '192.0.2.7:4000' }, 200],
    [{ host: 'localhost:1', origin: 'http://evil.example.com' }, 403],
    [{ host: 'localhost:1', origin: 'null' }, 403],
    [{ host: 'localhost.evil.example.com' }, 403],
    [{ host: '127.0.0.1.evil.example.com' }, 403],
    [{ host: 'localhost:1', origin: 'http://localhost:1' }, 200],
    [{ host: '[::1]:4000' }, 200],
    [{ host: 'SHOP.example.com:443' }, 200],
    [{ host: 'shop.example.com', origin: 'https://app.example.com' }, 200],
  ])('answers %j with %i', async (headers, expected) => {
    expect(await status(headers)).toBe(expected)
  })

  it('lets pages of an allowed origin ask first and read the answer', async () => {
    const headers = { origin: 'https://app.example.com' }
    const asking = { ...headers, 'access-control-request-method': 'POST' }
    const preflight = await handler(toHttpRequest('', asking, undefined, 'OPTIONS'))
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-headers': expect.stringContaining('mcp-session-id'),
    })
    const answer = await handler(toHttpRequest(LIST, headers))
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.com')
    expect(answer.headers['access-control-expose-headers']).toContain('mcp-session-id')
  })

  it('takes no other methods', async () => {
    const response = await handler(toHttpRequest('', {}, undefined, 'PUT'))
    expect(response.status).toBe(405)
    expect(response.headers['allow']).toBe('POST, GET, DELETE')
  })
})

describe('a service that asks who calls', () => {
  const service = createShop({
    authenticate: async ({ header, surface }) => {
      if (header('authorization') !== 'Bearer good') throw new CallError('UNAUTHORIZED')
      return { id: surface }
    },
  })

  it('gets the token of every request, and refuses with 401 and a way to get one', async () => {
    const handler = createMcpHandler(service, { authorization: AUTHORIZATION })
    for (const message of [LIST, { ...LIST, method: 'initialize' }]) {
      const response = await handler(toHttpRequest(message))
      expect(response.status).toBe(401)
      expect(response.headers['www-authenticate']).toBe(
        'Bearer resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp", scope="orders"',
      )
      expect(JSON.parse(String(response.body))).toMatchObject({ id: 9, error: { code: 401 } })
    }
    const wrong = await handler(toHttpRequest(LIST, { authorization: 'Bearer bad' }))
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"')
    const get = await handler(toHttpRequest('', {}, undefined, 'GET'))
    expect(get.status).toBe(401)
  })

  it('says Bearer even where nobody said where tokens come from', async () => {
    const response = await createMcpHandler(service)(toHttpRequest(LIST))
    expect(response.headers['www-authenticate']).toBe('Bearer')
  })

  it('is served with a good token, and its lists are nobody else’s', async () => {
    const client = modernClient(createMcpHandler(service), {
      headers: { authorization: 'Bearer good' },
    })
    const { result } = await client.request('tools/list')
    expect(result['cacheScope']).toBe('private')
  })

  it('describes itself as a protected resource', async () => {
    expect(metadataPaths(AUTHORIZATION)).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ])
    const handler = createProtectedResourceHandler({ ...AUTHORIZATION, documentation: 'https://d' })
    const response = await handler(toHttpRequest('', {}, undefined, 'GET'))
    expect(JSON.parse(String(response.body))).toEqual({
      resource: 'https://api.example.com/mcp',
      authorization_servers: ['https://login.example.com'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['orders'],
      resource_documentation: 'https://d',
    })
  })

  it('decides by function as well, and the model learns of it', async () => {
    const closed = createShop({
      authorize: () => {
        throw new CallError('FORBIDDEN', { message: 'Only for members' })
      },
    })
    const { result } = await modernClient(createMcpHandler(closed)).request('tools/call', {
      name: 'shop__names',
    })
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result['content'])).toContain('FORBIDDEN: Only for members')
  })
})
