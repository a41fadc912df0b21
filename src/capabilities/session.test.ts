import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { HAS_FIXTURES, publishedDocuments } from '../../test/support/ucp.ts'
import type { JsonObject } from '../core/json.ts'
import type { PublicFetch, PublicRequest, PublicResponse } from '../wire/public-address.ts'
import { type Connection, type ConnectOptions, connect, type Session } from './connect.ts'

const VERSION = '2026-04-08'
const SITE = `https://ucp.dev/${VERSION}`
const AGENT = 'https://agent.example/profile.json'

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }
type Served = unknown | ((request: PublicRequest & { url: string }) => Answer)

interface Network {
  readonly fetch: PublicFetch
  readonly requests: (PublicRequest & { readonly url: string })[]
}

describe.skipIf(!HAS_FIXTURES)('a session over the published documents (needs ../shared)', () => {
  it('asks for the profile at the well-known path and resolves all operations [UCP-21] [UCP-35]', async () => {
    const network = createNetwork()
    const session = await open(network)
    expect(network.requests[0]?.url).toBe('https://shop.example/.well-known/ucp')
    expect(session.operations.operations).toHaveLength(13)
    for (const { bindings } of session.operations.operations) {
      expect(Object.keys(bindings)).toEqual(['rest', 'mcp'])
    }
    expect(network.requests.filter(({ url }) => url.includes('.well-known'))).toHaveLength(1)
  })

  it('sends exactly one request per call and nothing else [UCP-101]', async () => {
    const network = createNetwork()
    const session = await open(network)
    network.requests.length = 0
    for (const call of [1, 2, 3]) {
      expect((await session.call('get_cart', { id: `c${call}` })).ok).toBe(true)
    }
    expect(network.requests.map(({ url }) => url)).toEqual([
      'https://shop.example/ucp/v1/carts/c1',
      'https://shop.example/ucp/v1/carts/c2',
      'https://shop.example/ucp/v1/carts/c3',
    ])
  })

  it('lists, looks up and builds requests with a network that is gone [UCP-100]', async () => {
    let gone = false
    const network = createNetwork()
    const session = await open({
      ...network,
      fetch: (url, request) => {
        if (gone) throw new Error('no network')
        return network.fetch(url, request)
      },
    })
    gone = true
    expect(session.operations.operations).toHaveLength(13)
    expect(session.operations.lookup('get_order').found).toBe(true)
    for (const transport of ['rest', 'mcp'] as const) {
      const prepared = session.prepare('create_cart', { cart: cartPayload() }, { transport })
      expect(prepared).toMatchObject({ ok: true, request: { transport } })
    }
    const called = await session.call('get_order', { id: 'o1' })
    expect(called).toMatchObject({ ok: false, error: { code: 'DEPENDENCY_ERROR' } })
  })

  it('announces the profile on every REST request [UCP-32]', async () => {
    const network = createNetwork()
    const session = await open(network)
    network.requests.length = 0
    await session.call('get_cart', { id: 'c1' })
    await session.call('create_cart', { cart: cartPayload() }, { idempotencyKey: 'k-1' })
    for (const { headers } of network.requests) {
      expect(headers?.['ucp-agent']).toBe(`profile="${AGENT}"`)
      expect(headers?.['request-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect(network.requests[0]?.headers).not.toHaveProperty('idempotency-key')
    expect(network.requests[1]?.headers?.['idempotency-key']).toBe('k-1')
    expect(JSON.parse(String(network.requests[1]?.body))).toEqual(cartPayload())
  })

  it('announces the profile in the meta of every MCP call [UCP-33]', async () => {
    const network = createNetwork()
    const session = await open(network, { transports: ['mcp'] })
    network.requests.length = 0
    const result = await session.call('get_order', { id: 'o1' }, { idempotencyKey: 'k-2' })
    expect(result).toEqual({ ok: true, value: { tool: 'get_order' }, status: 200 })
    const [request] = network.requests
    expect(request).toMatchObject({ method: 'POST', url: 'https://shop.example/ucp/mcp' })
    expect(JSON.parse(String(request?.body))).toMatchObject({
      jsonrpc: '2.0',
      method: 'tools/call',
      params: {
        name: 'get_order',
        arguments: {
          meta: { 'ucp-agent': { profile: AGENT }, 'idempotency-key': 'k-2' },
          id: 'o1',
        },
      },
    })
    expect(network.requests).toHaveLength(1)
  })

  it('takes the payload under its name, under body or at the top, on both transports', async () => {
    const session = await open(createNetwork())
    const payload = cartPayload()
    for (const args of [{ cart: payload }, { body: payload }, payload]) {
      const rest = session.prepare('create_cart', args, { transport: 'rest' })
      expect(rest.ok && JSON.parse(rest.request.body ?? '')).toEqual(payload)
      const mcp = session.prepare('create_cart', args, { transport: 'mcp' })
      expect(mcp.ok && JSON.parse(mcp.request.body ?? '').params.arguments.cart).toEqual(payload)
    }
  })

  it.each(['rest', 'mcp'] as const)(
    'checks arguments against the schemas of the operation over %s',
    async (transport) => {
      const network = createNetwork()
      const session = await open(network)
      network.requests.length = 0
      const wrong = await session.call(
        'create_cart',
        { cart: { line_items: 'none' } },
        { transport },
      )
      expect(wrong).toMatchObject({
        ok: false,
        error: { code: 'INVALID_ARGUMENTS', message: expect.stringContaining('/cart/line_items') },
      })
      const missing = await session.call('get_cart', {}, { transport })
      expect(missing).toMatchObject({ ok: false, error: { message: '/id is required' } })
      const extra = await session.call('get_cart', { id: 'c', novel: 1 }, { transport })
      expect(extra).toMatchObject({ ok: false, error: { message: '/novel is no argument' } })
      expect(network.requests).toEqual([])
    },
  )

  it('checks a request as the annotations of the schema shape it', async () => {
    const session = await open(createNetwork())
    const lineItems = cartPayload().line_items
    const create = session.prepare('create_checkout', { checkout: { line_items: lineItems } })
    expect(create).toMatchObject({ ok: true })
    const complete = session.prepare('complete_checkout', { id: 'x', checkout: {} })
    expect(complete).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('/checkout/payment') },
    })
  })

  it('checks what an active extension adds to the payload', async () => {
    const session = await open(createNetwork())
    const cart = { ...cartPayload(), discounts: { codes: [7] } }
    expect(session.prepare('create_cart', { cart })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('/cart/discounts/codes/0') },
    })
  })

  it('takes the schema of an extension from the platform when the business names none', async () => {
    const business = profile('business')
    const { capabilities } = business.ucp
    const extended = ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.cart']
    capabilities['dev.ucp.shopping.discount'] = [{ version: VERSION, extends: extended }]
    const session = await open(createNetwork({ 'https://shop.example/.well-known/ucp': business }))
    const cart = { ...cartPayload(), discounts: { codes: [7] } }
    expect(session.prepare('create_cart', { cart })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('/cart/discounts/codes/0') },
    })
  })

  it('refuses an operation whose capability was not negotiated', async () => {
    const platform = profile('platform')
    delete platform.ucp.capabilities['dev.ucp.shopping.order']
    const network = createNetwork()
    const session = await open(network, {}, platform)
    network.requests.length = 0
    const result = await session.call('get_order', { id: 'o' })
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: 'CAPABILITY_NOT_OFFERED',
        message: expect.stringContaining('not_in_platform'),
      },
    })
    expect(network.requests).toEqual([])
  })

  it.each(['delete_shop', '__proto__', 'constructor', 'toString', 'Create_Cart'])(
    'refuses the unknown operation %s [UCP-105]',
    async (id) => {
      const session = await open(createNetwork())
      expect(await session.call(id)).toMatchObject({
        ok: false,
        error: { code: 'OPERATION_NOT_OFFERED' },
      })
    },
  )

  it('never lets an identifier change the route [UCP-104]', async () => {
    const session = await open(createNetwork())
    const urlOf = (id: unknown): unknown => {
      const prepared = session.prepare('cancel_cart', { id } as never)
      return prepared.ok ? prepared.request.url : prepared.error.code
    }
    const base = 'https://shop.example/ucp/v1/carts'
    expect(urlOf('a/b')).toBe(`${base}/a%2Fb/cancel`)
    expect(urlOf('?x=1')).toBe(`${base}/%3Fx%3D1/cancel`)
    expect(urlOf('#x')).toBe(`${base}/%23x/cancel`)
    expect(urlOf('%2e%2e')).toBe(`${base}/%252e%252e/cancel`)
    expect(urlOf('..')).toBe('INVALID_ARGUMENTS')
    expect(urlOf('.')).toBe('INVALID_ARGUMENTS')
    expect(urlOf('')).toBe('INVALID_ARGUMENTS')
    expect(urlOf({ a: 1 })).toBe('INVALID_ARGUMENTS')
  })

  it('keeps a running call on the set it started with while a refresh swaps it [UCP-102]', async () => {
    const clock = createClock()
    let endpoint = 'https://shop.example/ucp/v1'
    let release: () => void = () => {}
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': () => ({ body: profile('business', endpoint) }),
    })
    const waiting = new Promise<void>((resolve) => {
      release = resolve
    })
    const session = await open(
      {
        ...network,
        fetch: async (url, request) => {
          if (url.endsWith('/carts/slow')) await waiting
          return network.fetch(url, request)
        },
      },
      { clock },
    )
    const before = session.operations
    const running = session.call('get_cart', { id: 'slow' })
    endpoint = 'https://shop.example/ucp/v2'
    clock.advance(61_000)
    expect(await session.refresh()).toBe(true)
    expect(session.operations).not.toBe(before)
    release()
    await running
    const urls = network.requests.map(({ url }) => url)
    expect(urls).toContain('https://shop.example/ucp/v1/carts/slow')
    const after = session.prepare('get_cart', { id: 'x' })
    expect(after.ok && after.request.url).toBe('https://shop.example/ucp/v2/carts/x')
  })

  it('keeps what it has when a refresh fails', async () => {
    const clock = createClock()
    let broken = false
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': () =>
        broken ? { status: 500 } : { body: profile('business') },
    })
    const session = await open(network, { clock })
    broken = true
    clock.advance(61_000)
    expect(await session.refresh()).toBe(false)
    expect(session.operations.operations).toHaveLength(13)
  })

  it('never asks a host that fails the authority check [UCP-43] [UCP-93]', async () => {
    const business = profile('business')
    const [rest, mcp] = business.ucp.services['dev.ucp.shopping'] ?? []
    business.ucp.services['dev.ucp.shopping'] = [
      { ...rest },
      { ...mcp, schema: 'https://ucp.dev.evil.example/mcp.openrpc.json' },
    ]
    business.ucp.capabilities['dev.ucp.shopping.discount'] = [
      { version: VERSION, schema: 'https://evil.example/d.json', extends: 'dev.ucp.shopping.cart' },
    ]
    const network = createNetwork({ 'https://shop.example/.well-known/ucp': business })
    const session = await open(network)
    const hosts = new Set(network.requests.map(({ url }) => new URL(url).host))
    expect([...hosts]).toEqual(['shop.example', 'ucp.dev'])
    expect(session.negotiation.excluded.get('dev.ucp.shopping.discount')).toBe('authority_mismatch')
    for (const { bindings } of session.operations.operations) {
      expect(Object.keys(bindings)).toEqual(['rest'])
    }
  })

  it('never follows a reference of a document to a host outside the negotiated names [UCP-43]', async () => {
    const url = `${SITE}/schemas/shopping/cart.json`
    const cart = publishedDocuments(VERSION)[url] as object
    const network = createNetwork({
      [url]: {
        ...cart,
        allOf: [{ $ref: 'https://evil.example/more.json' }, { $ref: 'http://ucp.dev/x' }],
      },
    })
    const session = await open(network)
    const hosts = new Set(network.requests.map((request) => new URL(request.url).origin))
    expect([...hosts]).toEqual(['https://shop.example', 'https://ucp.dev'])
    expect(session.prepare('create_cart', { cart: cartPayload() })).toMatchObject({ ok: true })
  })

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

  it('does not fetch schemas when arguments are not to be checked', async () => {
    const network = createNetwork()
    const session = await open(network, { checkArguments: false })
    const schemas = network.requests.filter(({ url }) => url.includes('/types/'))
    expect(schemas).toEqual([])
    expect(session.operations.operations).toHaveLength(13)
  })
})

describe('connect', () => {
  it('uses the leaf of an older version alone [UCP-36] [UCP-41]', async () => {
    const leafUrl = 'https://shop.example/.well-known/ucp/2026-01-23'
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': {
        ucp: {
          ...profile('business').ucp,
          supported_versions: { '2026-01-23': leafUrl },
        },
      },
      [leafUrl]: tiny('2026-01-23', 'https://shop.example/v0'),
    })
    const session = await open(network, {}, tiny('2026-01-23'))
    expect(session.negotiation.protocolVersion).toBe('2026-01-23')
    expect(session.operations.operations.map(({ id }) => id)).not.toContain('create_cart')
    const get = session.operations.lookup('get_checkout')
    expect(get.found && get.operation.bindings.rest?.url).toBe(
      'https://shop.example/v0/checkout-sessions/{id}',
    )
  })

  it('takes the latest of several versions that both speak [UCP-38]', async () => {
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': {
        ucp: {
          ...tiny('2026-04-08', 'https://shop.example/now').ucp,
          supported_versions: { '2026-01-23': 'https://shop.example/old' },
        },
      },
    })
    const result = await connect(
      'https://shop.example',
      ['2026-01-23', '2026-04-08', '2026-08-25'].map((version) => ({
        url: `https://agent.example/${version}.json`,
        profile: tiny(version),
      })),
      { fetch: network.fetch, checkArguments: false },
    )
    const session = sessionOf(result)
    expect(session.negotiation.protocolVersion).toBe('2026-04-08')
    const prepared = session.prepare('get_checkout', { id: 'x' })
    expect(prepared.ok && prepared.request.headers['ucp-agent']).toBe(
      'profile="https://agent.example/2026-04-08.json"',
    )
  })

  it('calls methods directly in the dialect of 2026-01-11', async () => {
    const business = tiny('2026-01-11', 'https://shop.example/mcp', 'mcp')
    const network = createNetwork({ 'https://shop.example/.well-known/ucp': business })
    const session = await open(network, { transports: ['mcp'] }, tiny('2026-01-11'))
    const prepared = session.prepare('get_checkout', { id: 'x' })
    expect(prepared.ok && JSON.parse(prepared.request.body ?? '')).toMatchObject({
      method: 'get_checkout',
      params: { _meta: { ucp: { profile: AGENT } }, id: 'x' },
    })
  })

  it('asks again when the profile is no longer fresh, until it is closed [UCP-102]', async () => {
    vi.useFakeTimers()
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': tiny(VERSION, 'https://shop.example/v1'),
    })
    const session = await open(network, { keepFresh: true, checkArguments: false }, tiny(VERSION))
    const asked = (): number => network.requests.length
    expect(asked()).toBe(1)
    await vi.advanceTimersByTimeAsync(61_000)
    expect(asked()).toBe(2)
    await vi.advanceTimersByTimeAsync(61_000)
    expect(asked()).toBe(3)
    session.close()
    await vi.advanceTimersByTimeAsync(200_000)
    expect(asked()).toBe(3)
    vi.useRealTimers()
  })

  it.each([
    ['http://shop.example', 'INVALID_PROFILE_URL'],
    ['not a url', 'INVALID_PROFILE_URL'],
    ['https://user:pass@shop.example', 'INVALID_PROFILE_URL'],
    ['ftp://shop.example', 'INVALID_PROFILE_URL'],
  ])('refuses the business %s without a request [UCP-22]', async (business, code) => {
    const network = createNetwork()
    const result = await connect(business, { url: AGENT, profile: tiny(VERSION) }, network)
    expect(result).toMatchObject({ connected: false, code })
    expect(network.requests).toEqual([])
  })

  it.each([
    [{ status: 302, headers: { location: 'https://elsewhere.example' } }, 'PROFILE_FETCH_FAILED'],
    [{ status: 404 }, 'PROFILE_FETCH_FAILED'],
    [{ body: 'not json', headers: { raw: 'yes' } }, 'PROFILE_INVALID_JSON'],
    [{ body: { ucp: { version: 'draft' } } }, 'PROFILE_SCHEMA_INVALID'],
    [{ body: { ucp: { version: '2025-01-01' } } }, 'PROTOCOL_VERSION_INCOMPATIBLE'],
    [{ body: { ucp: { version: VERSION } } }, 'CAPABILITIES_INCOMPATIBLE'],
  ])('reports %j as %s', async (answer, code) => {
    const network = createNetwork({ 'https://shop.example/.well-known/ucp': () => answer })
    const platform = { url: AGENT, profile: tiny(VERSION) }
    const result = await connect('https://shop.example', platform, network)
    expect(result).toMatchObject({ connected: false, code })
    expect(network.requests).toHaveLength(1)
  })

  it('speaks to a business on this machine when development allows it [UCP-28]', async () => {
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo
      const base = `http://127.0.0.1:${port}`
      const answers: Record<string, unknown> = {
        '/.well-known/ucp': localProfile(base),
        '/openapi.json': {
          openapi: '3.1.0',
          paths: { '/greet': { get: { operationId: 'greet' } } },
        },
        '/api/greet': { hello: request.headers['ucp-agent'] },
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answers[request.url ?? '']))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const base = `http://127.0.0.1:${port}`
    const platform = { url: AGENT, profile: localProfile() }
    const refused = await connect(base, platform)
    expect(refused).toMatchObject({ connected: false, code: 'INVALID_PROFILE_URL' })
    const session = sessionOf(await connect(base, platform, { allowLoopback: true }))
    expect(await session.call('greet')).toEqual({
      ok: true,
      status: 200,
      value: { hello: `profile="${AGENT}"` },
    })
    server.close()
  })
})

function localProfile(base?: string): unknown {
  const version = VERSION
  const service = {
    version,
    transport: 'rest',
    ...(base && { endpoint: `${base}/api`, schema: `${base}/openapi.json` }),
  }
  const capability = {
    version,
    operations: ['greet'],
    ...(base && { schema: `${base}/greet.json` }),
  }
  return {
    ucp: {
      version,
      services: { 'example.local.greeting': [service] },
      capabilities: { 'example.local.greeting.greet': [capability] },
      payment_handlers: {},
    },
  }
}

interface TestProfile {
  ucp: {
    version: string
    services: Record<string, Record<string, unknown>[]>
    capabilities: Record<string, Record<string, unknown>[]>
    payment_handlers: object
  }
}

function tiny(version: string, endpoint?: string, transport = 'rest'): TestProfile {
  return {
    ucp: {
      version,
      services: { 'dev.ucp.shopping': endpoint ? [{ version, transport, endpoint }] : [] },
      capabilities: { 'dev.ucp.shopping.checkout': [{ version }] },
      payment_handlers: {},
    },
  }
}

function profile(
  side: 'business' | 'platform',
  endpoint = 'https://shop.example/ucp/v1',
): TestProfile {
  const entry = (name: string, parents?: string[]): Record<string, unknown>[] => [
    {
      version: VERSION,
      spec: `${SITE}/specification/${name}`,
      schema: `${SITE}/schemas/shopping/${name.replace('.', '_')}.json`,
      ...(parents && { extends: parents.map((parent) => `dev.ucp.shopping.${parent}`) }),
    },
  ]
  const service = (transport: string, file: string, url: string): Record<string, unknown> => ({
    version: VERSION,
    spec: `${SITE}/specification/overview`,
    transport,
    schema: `${SITE}/services/shopping/${file}`,
    ...(side === 'business' && { endpoint: url }),
  })
  return {
    ucp: {
      version: VERSION,
      services: {
        'dev.ucp.shopping': [
          service('rest', 'rest.openapi.json', endpoint),
          service('mcp', 'mcp.openrpc.json', 'https://shop.example/ucp/mcp'),
        ],
      },
      capabilities: {
        'dev.ucp.shopping.checkout': entry('checkout'),
        'dev.ucp.shopping.cart': entry('cart'),
        'dev.ucp.shopping.catalog.search': entry('catalog.search'),
        'dev.ucp.shopping.catalog.lookup': entry('catalog.lookup'),
        'dev.ucp.shopping.order': entry('order'),
        'dev.ucp.shopping.discount': entry('discount', ['checkout', 'cart']),
        'dev.ucp.shopping.fulfillment': entry('fulfillment', ['checkout']),
      },
      payment_handlers: {},
    },
  }
}

function cartPayload(): { line_items: JsonObject[] } {
  return { line_items: [{ item: { id: 'sku-1' }, quantity: 2 }] }
}

function createNetwork(extra: Record<string, Served> = {}): Network {
  const requests: (PublicRequest & { readonly url: string })[] = []
  const documents = HAS_FIXTURES ? publishedDocuments(VERSION) : {}
  const served: Record<string, Served> = {
    ...documents,
    'https://shop.example/.well-known/ucp': profile('business'),
    'https://shop.example/ucp/mcp': ({ body }: PublicRequest) => {
      const { id, params } = JSON.parse(String(body))
      return { body: { jsonrpc: '2.0', id, result: { structuredContent: { tool: params.name } } } }
    },
    ...extra,
  }
  const fetch: PublicFetch = async (url, request = {}) => {
    requests.push({ ...request, url })
    const found = served[url]
    const known = found ?? (url.startsWith('https://shop.example/ucp/') ? { url } : undefined)
    if (known === undefined) return toResponse(url, { status: 404 })
    return toResponse(
      url,
      typeof found === 'function' ? found({ ...request, url }) : { body: known },
    )
  }
  return { fetch, requests }
}

function toResponse(url: string, { status = 200, body, headers = {} }: Answer): PublicResponse {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  return { status, url, header: (name) => headers[name], body: Buffer.from(text) }
}

async function open(
  network: Network,
  options: ConnectOptions = {},
  platform: unknown = profile('platform'),
): Promise<Session> {
  const { fetch } = network
  return sessionOf(
    await connect('https://shop.example', { url: AGENT, profile: platform }, { fetch, ...options }),
  )
}

function sessionOf(connection: Connection): Session {
  if (!connection.connected) throw new Error(`${connection.code}: ${connection.message}`)
  return connection.session
}

function createClock(): { now(): number; elapsed(): number; advance(ms: number): void } {
  let time = 1_000_000
  return {
    now: () => time,
    elapsed: () => time,
    advance: (ms) => {
      time += ms
    },
  }
}
