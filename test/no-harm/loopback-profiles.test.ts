import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { type ServeOptions, serve } from '../../src/http/serve.ts'
import { serviceOf } from '../support/service.ts'

// A service that only this machine reaches fetches profiles from this machine. Through a proxy, that would let anybody
// have it ask what is meant for this machine alone.

const CHECKOUT = 'com.example.shop.checkout'
let asked = 0
beforeEach(() => {
  asked = 0
})

async function openPlatform(): Promise<string> {
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/profile`
}

async function openShop(options: ServeOptions = {}): Promise<string> {
  const service = serviceOf(
    [
      defineFunction({
        name: 'checkout.create',
        version: '1.0.0',
        capability: CHECKOUT,
        handler: () => ({ id: 'c_1' }),
      }),
    ],
    {
      profile: {
        version: '2026-04-08',
        service: 'com.example.shop',
        capabilities: [{ name: CHECKOUT, schema: 'https://example.com/checkout.json' }],
      },
    },
  )
  const server = await serve(service, { port: 0, ...options })
  onTestFinished(() => server.close())
  return `http://127.0.0.1:${server.port}`
}

type Announce = (shop: string, profile: string, headers?: object) => Promise<void>

const post = async (url: string, headers: object, body: unknown): Promise<void> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.text()
}

const SURFACES: Readonly<Record<string, Announce>> = {
  REST: (shop, profile, headers = {}) =>
    post(`${shop}/api/checkout.create`, { ...headers, 'ucp-agent': `profile="${profile}"` }, {}),
  MCP: (shop, profile, headers = {}) =>
    post(
      `${shop}/mcp`,
      {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'checkout__create',
        ...headers,
      },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'checkout__create',
          arguments: { meta: { 'ucp-agent': { profile } } },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
    ),
}

describe.each(Object.entries(SURFACES))(
  'beside it: a profile on this machine, over %s',
  (_, announce) => {
    it('is fetched for a caller on this machine', async () => {
      await announce(await openShop(), await openPlatform())
      expect(asked).toBe(1)
    })

    it('is not fetched for a request that came through a proxy', async () => {
      await announce(await openShop(), await openPlatform(), { 'x-forwarded-for': '203.0.113.9' })
      expect(asked).toBe(0)
    })

    it.each([{ host: '0.0.0.0' }, { publicUrl: 'https://shop.example.com' }])(
      'is not fetched where others reach the service: %j',
      async (options) => {
        await announce(await openShop(options), await openPlatform())
        expect(asked).toBe(0)
      },
    )
  },
)
