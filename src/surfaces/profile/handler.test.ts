import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceOf } from '../../../test/support/service.ts'
import type { FetchedDocument } from '../../capabilities/documents/fetcher.ts'
import { defineFunction } from '../../core/function.ts'
import { connect } from '../../entries/capabilities.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { createApp } from '../../http/app.ts'
import { toNodeListener } from '../../http/node.ts'
import { createProfileSurface } from './handler.ts'

const CHECKOUT = 'com.example.shop.checkout'
const ORDER = 'com.example.shop.order'
const functions = [
  defineFunction({
    name: 'checkout.create',
    version: '1.0.0',
    capability: CHECKOUT,
    input: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    output: { type: 'object', properties: { id: { type: 'string' } } },
    handler: ({ input }) => ({ id: `c_${input['sku']}` }),
  }),
  defineFunction({
    name: 'orders.get',
    version: '1.0.0',
    capability: ORDER,
    handler: () => ({ id: 'o_1' }),
  }),
  defineFunction({
    name: 'checkout.close',
    version: '1.0.0',
    capability: CHECKOUT,
    output: {
      type: 'object',
      properties: { done: { type: 'boolean' } },
      additionalProperties: false,
    },
    handler: () => ({ done: true }),
  }),
  defineFunction({
    name: 'checkout.echo',
    version: '1.0.0',
    capability: CHECKOUT,
    input: { type: 'object', properties: { meta: { type: 'object' } } },
    handler: ({ input }) => ({ meta: input['meta'] }),
  }),
]

let server: Server
let platform: Server
let origin: string
let platformUrl: string
let announced: unknown
let asked = 0

const listen = (target: Server) =>
  new Promise<number>((resolve) => {
    target.listen(0, '127.0.0.1', () => resolve((target.address() as AddressInfo).port))
  })
const schema = (name: string) => `${origin}/schemas/${name}.json`
const platformProfile = (names: readonly string[], version = '2026-04-08') => ({
  ucp: {
    version,
    services: {
      'com.example.shop': [
        { version, transport: 'rest', spec: `${origin}/spec`, schema: `${origin}/openapi.json` },
      ],
    },
    capabilities: Object.fromEntries(
      names.map((name) => [
        name,
        [{ version: '2026-04-08', spec: schema(name), schema: schema(name) }],
      ]),
    ),
    payment_handlers: {},
  },
})

const mcpProfile = () => {
  const profile = platformProfile([CHECKOUT])
  const [service] = profile.ucp.services['com.example.shop']
  profile.ucp.services['com.example.shop'] = [
    { ...service, transport: 'mcp', schema: `${origin}/openrpc.json` },
  ] as (typeof profile.ucp.services)['com.example.shop']
  return profile
}

beforeAll(async () => {
  let listener: ReturnType<typeof toNodeListener> | undefined
  server = createServer((request, response) => listener?.(request, response))
  origin = `http://127.0.0.1:${await listen(server)}`
  platform = createServer((_request, response) => {
    asked += 1
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(announced))
  })
  platformUrl = `http://127.0.0.1:${await listen(platform)}`
  listener = toNodeListener(
    createApp(serviceOf(functions), {
      surfaces: allSurfaces({
        profile: {
          version: '2026-04-08',
          origin,
          service: 'com.example.shop',
          allowLoopback: true,
          capabilities: [
            { name: CHECKOUT, schema: schema(CHECKOUT) },
            { name: ORDER, schema: schema(ORDER) },
            { name: 'com.example.shop.discount', schema: schema('discount'), extends: [CHECKOUT] },
          ],
        },
      }),
    }),
  )
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  platform.closeAllConnections()
  platform.close()
})

const post = (name: string, profile?: string) =>
  fetch(`${origin}/api/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(profile && { 'ucp-agent': `profile="${profile}"` }),
    },
    body: name === 'orders.get' ? '{}' : '{"sku":"W-1"}',
  })

describe('GET /.well-known/ucp', () => {
  it('[UCP-29][UCP-30][UCP-31] publishes the profile, cacheable by everybody, with an ETag', async () => {
    const response = await fetch(`${origin}/.well-known/ucp`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/)
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(`${origin}/.well-known/ucp`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  it('[UCP-114] writes operations from the functions, so that they cannot drift from the documents', async () => {
    const profile = (await (await fetch(`${origin}/.well-known/ucp`)).json()) as {
      ucp: { capabilities: Record<string, { operations?: string[] }[]> }
    }
    const openapi = (await (await fetch(`${origin}/openapi.json`)).json()) as { paths: object }
    const ids = Object.values(openapi.paths).map((item) => item.post.operationId)
    expect(profile.ucp.capabilities[CHECKOUT]?.[0]?.operations).toEqual([
      'checkout__create',
      'checkout__close',
      'checkout__echo',
    ])
    expect(profile.ucp.capabilities[ORDER]?.[0]?.operations).toEqual(['orders__get'])
    expect(profile.ucp.capabilities['com.example.shop.discount']?.[0]).not.toHaveProperty(
      'operations',
    )
    expect(ids).toEqual(['checkout__create', 'orders__get', 'checkout__close', 'checkout__echo'])
  })

  it('lets a platform connect and call, with one request per call', async () => {
    const connection = await connect(
      origin,
      { url: `${platformUrl}/one`, profile: platformProfile([CHECKOUT]) },
      { allowLoopback: true },
    )
    if (!connection.connected) throw new Error(connection.message)
    announced = platformProfile([CHECKOUT])
    const { session } = connection
    expect(session.operations.operations.map(({ id }) => id)).toContain('checkout__create')
    const result = await session.call('checkout__create', { sku: 'W-1' })
    expect(result).toMatchObject({ ok: true })
  })
})

describe('a call of a platform that announces its profile', () => {
  it('[UCP-108][UCP-112] is answered with the capabilities it rests on', async () => {
    announced = platformProfile([CHECKOUT])
    const response = await post('checkout.create', `${platformUrl}/checkout`)
    expect(await response.json()).toEqual({
      ucp: { version: '2026-04-08', capabilities: { [CHECKOUT]: [{ version: '2026-04-08' }] } },
      id: 'c_W-1',
    })
  })

  it('[UCP-111] is refused when its capability was not negotiated', async () => {
    announced = platformProfile([CHECKOUT])
    const response = await post('orders.get', `${platformUrl}/order`)
    expect(await response.json()).toMatchObject({
      messages: [{ code: 'capabilities_incompatible' }],
    })
  })

  it('[UCP-113] gets 422 for a version nobody speaks, 400 for a bad URL, 424 when nobody answers', async () => {
    announced = platformProfile([CHECKOUT], '2030-01-01')
    expect((await post('checkout.create', `${platformUrl}/version`)).status).toBe(422)
    expect((await post('checkout.create', 'http://profile.example/x')).status).toBe(400)
    expect((await post('checkout.create', 'http://127.0.0.1:9/x')).status).toBe(424)
  })

  it('asks for the profile of a platform once while it is fresh', async () => {
    announced = platformProfile([CHECKOUT])
    asked = 0
    for (let count = 0; count < 3; count += 1) await post('checkout.create', `${platformUrl}/fresh`)
    expect(asked).toBe(1)
  })

  it('is not needed by others', async () => {
    expect(await (await post('orders.get')).json()).toEqual({ id: 'o_1' })
  })
})

const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
const callTool = async (name: string, args: object, meta: object = {}) => {
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: args,
        _meta: {
          [META_VERSION]: '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'platform', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...meta,
        },
      },
    }),
  })
  return (await response.json()) as {
    error?: { code: number; data: { code: string } }
    result?: { structuredContent?: object; isError?: boolean; _meta: Record<string, unknown> }
  }
}
const agent = (path: string) => ({ 'ucp-agent': { profile: `${platformUrl}/${path}` } })

describe('a tool call of a platform that announces its profile', () => {
  it('[UCP-33][UCP-108][UCP-112] is answered with the capabilities it rests on, and `meta` is not an argument', async () => {
    announced = platformProfile([CHECKOUT])
    const { result } = await callTool('checkout__create', { sku: 'W-1', meta: agent('mcp') })
    expect(result?.structuredContent).toEqual({
      ucp: { version: '2026-04-08', capabilities: { [CHECKOUT]: [{ version: '2026-04-08' }] } },
      id: 'c_W-1',
    })
  })

  it('says so beside a result whose schema admits nothing else', async () => {
    announced = platformProfile([CHECKOUT])
    const { result } = await callTool('checkout__close', { meta: agent('closed') })
    expect(result?.structuredContent).toEqual({ done: true })
    expect(result?._meta['ucp']).toMatchObject({ version: '2026-04-08' })
  })

  it('leaves `meta` to a function that takes it', async () => {
    announced = platformProfile([CHECKOUT])
    const meta = agent('own')
    const { result } = await callTool('checkout__echo', { meta })
    expect(result?.structuredContent).toMatchObject({ meta })
  })

  it('accepts the announcement of 2026-01-11 in `_meta`', async () => {
    announced = platformProfile([CHECKOUT])
    const { result } = await callTool(
      'checkout__create',
      { sku: 'W-1' },
      { ucp: { profile: `${platformUrl}/legacy` } },
    )
    expect(result?.structuredContent).toHaveProperty('ucp')
  })

  it('[UCP-111] is refused in a normal result when its capability was not negotiated', async () => {
    announced = platformProfile([CHECKOUT])
    const { result } = await callTool('orders__get', { meta: agent('mcp-order') })
    expect(result?.structuredContent).toMatchObject({
      ucp: { status: 'error' },
      messages: [{ code: 'capabilities_incompatible' }],
    })
  })

  it('[UCP-39][UCP-113] gets error -32001 for what no negotiation can begin with', async () => {
    announced = platformProfile([CHECKOUT], '2030-01-01')
    const codeOf = async (meta: object) => {
      const { error } = await callTool('checkout__create', { sku: 'W-1', meta })
      return [error?.code, error?.data.code]
    }
    expect(await codeOf(agent('mcp-version'))).toEqual([-32001, 'version_unsupported'])
    expect(await codeOf({ 'ucp-agent': { profile: 'http://profile.example/x' } })).toEqual([
      -32001,
      'invalid_profile_url',
    ])
    expect(await codeOf({ 'ucp-agent': 'nonsense' })).toEqual([-32001, 'invalid_profile_url'])
    expect(await codeOf({ 'ucp-agent': { profile: 'http://127.0.0.1:9/x' } })).toEqual([
      -32001,
      'profile_unreachable',
    ])
  })

  it('lets a platform call over MCP in a session', async () => {
    announced = platformProfile([CHECKOUT])
    const connection = await connect(
      origin,
      { url: `${platformUrl}/session`, profile: mcpProfile() },
      { allowLoopback: true, transports: ['mcp'] },
    )
    if (!connection.connected) throw new Error(connection.message)
    announced = mcpProfile()
    const result = await connection.session.call('checkout__create', { sku: 'W-2' })
    expect(result).toMatchObject({ ok: true, value: { id: 'c_W-2', ucp: {} } })
  })

  it('is not needed by others', async () => {
    expect((await callTool('orders__get', {})).result?.structuredContent).toEqual({ id: 'o_1' })
  })
})

describe('a platform of an older protocol version', () => {
  const OLD = '2026-01-23'
  const LEAF = 'https://example.com/ucp/2026-01-23'
  const AGENT = 'https://agent.example/profile.json'
  const entries = (name: string) => [{ version: OLD, schema: `https://example.com/${name}` }]
  const services = {
    'com.example.shop': [
      {
        version: OLD,
        transport: 'rest',
        endpoint: 'https://example.com',
        schema: 'https://example.com/openapi.json',
      },
    ],
  }
  const leaf = {
    ucp: {
      version: OLD,
      services,
      capabilities: {
        [CHECKOUT]: [{ ...entries(CHECKOUT)[0], operations: ['checkout__create'] }],
      },
    },
  }
  const agent = { ucp: { version: OLD, capabilities: { [CHECKOUT]: entries(CHECKOUT) } } }
  const admit = (pages: Readonly<Record<string, unknown>>) => {
    const get = async (url: string): Promise<FetchedDocument> =>
      url in pages
        ? { ok: true, value: pages[url], freshUntil: 0 }
        : { ok: false, code: 'unreachable', message: 'nobody answers' }
    const surface = createProfileSurface(serviceOf(functions), {
      version: '2026-04-08',
      origin: 'https://example.com',
      service: 'com.example.shop',
      supportedVersions: { [OLD]: LEAF },
      capabilities: [
        { name: CHECKOUT, schema: `https://example.com/${CHECKOUT}` },
        { name: ORDER, schema: `https://example.com/${ORDER}` },
      ],
      fetcher: { get, refresh: get },
    })
    return (name: string) => surface.admit({ profile: AGENT }, name)
  }

  it('[UCP-36] is judged by the leaf profile that is linked for it', async () => {
    const ask = admit({ [AGENT]: agent, [LEAF]: leaf })
    expect(await ask('checkout.create')).toEqual({
      admitted: true,
      ucp: { version: OLD, capabilities: { [CHECKOUT]: [{ version: OLD }] } },
    })
  })

  it('[UCP-39] is refused when the leaf profile cannot be fetched', async () => {
    expect(await admit({ [AGENT]: agent })('checkout.create')).toMatchObject({
      admitted: false,
      refusal: { code: 'version_unsupported' },
    })
  })
})

describe('a wrong profile', () => {
  it('fails at start when a function names a capability the profile does not have', () => {
    const options = {
      version: '2026-04-08',
      origin: 'https://shop.example',
      service: 'com.example.shop',
      capabilities: [],
    }
    expect(() =>
      createApp(serviceOf(functions), { surfaces: allSurfaces({ profile: options }) }),
    ).toThrow(`function checkout.create: capability "${CHECKOUT}" is not among`)
  })
})
