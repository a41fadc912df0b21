import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../test/support/forrst.ts'
import { HAS_FIXTURES, publishedDocuments, VERSION } from '../../../test/support/ucp.ts'
import {
  AGENT,
  cartPayload,
  createNetwork,
  open,
  profile,
} from '../../../test/support/ucp-network.ts'

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

  it('keeps a running call on the set it started with while a refresh swaps it [UCP-102]', async () => {
    const clock = createTestClock()
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
    const clock = createTestClock()
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
    const url = `https://ucp.dev/${VERSION}/schemas/shopping/cart.json`
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
})
