import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { type ServeOptions, serve } from '../../src/http/serve.ts'
import { createGuard } from '../../src/net/guard.ts'
import { createLocalJudge, isLoopbackHost } from '../../src/net/local.ts'
import type { HttpRequest } from '../../src/wire/http.ts'
import { toRequest } from '../support/forrst.ts'
import { serviceOf } from '../support/service.ts'

type Headers = Readonly<Record<string, string>>

describe('beside it: spellings', () => {
  const judge = createLocalJudge({ bind: '127.0.0.1' })
  const ask = (peer: string | undefined, headers: Headers): string | undefined =>
    judge({ ...(toRequest('', { headers }) as HttpRequest), peerAddress: () => peer })

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'])(
    'takes the peer %s for this machine',
    (peer) => expect(ask(peer, { host: 'localhost' })).toBeUndefined(),
  )

  it.each([
    '10.0.0.1',
    '192.168.1.4',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '0.0.0.0',
    '::',
    '',
    'localhost',
  ])('does not take the peer "%s" for this machine', (peer) =>
    expect(ask(peer, { host: 'localhost' })).toContain(`address ${peer} is not loopback`),
  )

  it.each([
    'localhost',
    'localhost:4000',
    'LOCALHOST',
    'localhost.',
    'app.localhost:80',
    '127.0.0.1:4000',
    '127.1.2.3',
    '[::1]',
    '[::1]:4000',
    '[::ffff:127.0.0.1]',
  ])('takes the Host %s for this machine', (host) => {
    expect(isLoopbackHost(host)).toBe(true)
    expect(ask('127.0.0.1', { host })).toBeUndefined()
    expect(ask('127.0.0.1', { ':authority': host })).toBeUndefined()
  })

  it.each([
    'api.example.com',
    'localhost.example.com',
    'notlocalhost',
    '127.0.0.1.example.com',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '[::]',
    '10.0.0.1',
    'localhost..',
    'localhost@example.com',
    'example.com:127.0.0.1',
    '',
  ])('does not take the Host "%s" for this machine', (host) => {
    expect(ask('127.0.0.1', { host })).toContain('which is not a loopback name')
    expect(ask('127.0.0.1', { ':authority': host })).toContain('which is not a loopback name')
  })

  it.each(['localhost.', 'localhost.:4000', 'app.localhost.', 'localhost'])(
    'answers under the Host %s',
    (host) => {
      const request = toRequest('', { headers: { host } }) as HttpRequest
      expect(createGuard({}).judgeHost(request)).toBeUndefined()
    },
  )

  it.each(['localhost..', 'localhost.example.com.', 'localhost.x:1'])(
    'does not answer under the Host %s',
    (host) => {
      const request = toRequest('', { headers: { host } }) as HttpRequest
      expect(createGuard({}).judgeHost(request)).toContain('is not allowed')
    },
  )

  it('does not trust a request that names no Host', () => {
    expect(ask('127.0.0.1', {})).toBe('the request has no Host header')
  })

  it.each([
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-client-ip',
    'x-cluster-client-ip',
    'x-envoy-external-address',
    'cf-connecting-ip',
    'cf-ray',
    'cdn-loop',
    'true-client-ip',
    'fastly-client-ip',
    'fly-client-ip',
    'x-original-forwarded-for',
    'x-amzn-trace-id',
    'x-azure-clientip',
    'ngrok-trace-id',
    'x_forwarded_for',
    'x_real_ip',
    'cf_connecting_ip',
  ])('knows a proxy by %s, even when it is empty', (name) => {
    for (const value of ['', '127.0.0.1']) {
      expect(ask('127.0.0.1', { host: 'localhost', [name]: value })).toContain(name)
    }
  })

  it.each(['127.0.0.1', '::1', '[::1]', 'localhost', '127.0.0.53'])(
    'takes the bind address %s for loopback',
    (bind) => {
      const request = {
        ...toRequest('', { headers: { host: 'localhost' } }),
        peerAddress: () => '::1',
      }
      expect(createLocalJudge({ bind })(request)).toBeUndefined()
    },
  )

  it.each(['0.0.0.0', '::', '10.0.0.1', 'api.example.com', ''])(
    'does not take the bind address "%s" for loopback',
    (bind) => {
      const request = {
        ...toRequest('', { headers: { host: 'localhost' } }),
        peerAddress: () => '::1',
      }
      expect(createLocalJudge({ bind })(request)).toContain(`listens on ${bind}`)
    },
  )

  it.each(['http://127.0.0.1:4000', 'http://localhost', 'http://[::1]:4000/x', 'http://127.1'])(
    'does not take the publicUrl %s for public',
    (publicUrl) => {
      const request = {
        ...toRequest('', { headers: { host: 'localhost' } }),
        peerAddress: () => '::1',
      }
      expect(createLocalJudge({ bind: '::1', publicUrl })(request)).toBeUndefined()
    },
  )
})

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
