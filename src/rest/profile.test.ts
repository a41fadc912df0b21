import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceOf } from '../../test/support/service.ts'
import { connect } from '../capabilities/index.ts'
import { defineFunction } from '../core/function.ts'
import { createApp } from '../http/app.ts'
import { toNodeListener } from '../http/node.ts'

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
    body: '{"sku":"W-1"}',
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
    expect(profile.ucp.capabilities[CHECKOUT]?.[0]?.operations).toEqual(['checkout__create'])
    expect(profile.ucp.capabilities[ORDER]?.[0]?.operations).toEqual(['orders__get'])
    expect(profile.ucp.capabilities['com.example.shop.discount']?.[0]).not.toHaveProperty(
      'operations',
    )
    expect(ids).toEqual(['checkout__create', 'orders__get'])
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
    expect(session.operations.operations.map(({ id }) => id)).toEqual(['checkout__create'])
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

describe('a wrong profile', () => {
  it('fails at start when a function names a capability the profile does not have', () => {
    const options = {
      version: '2026-04-08',
      origin: 'https://shop.example',
      service: 'com.example.shop',
      capabilities: [],
    }
    expect(() => createApp(serviceOf(functions), { profile: options })).toThrow(
      `function checkout.create: capability "${CHECKOUT}" is not among`,
    )
  })
})
