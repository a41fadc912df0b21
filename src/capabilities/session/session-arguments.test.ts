import { describe, expect, it } from 'vitest'
import { HAS_FIXTURES, VERSION } from '../../../test/support/ucp.ts'
import { cartPayload, createNetwork, open, profile } from '../../../test/support/ucp-network.ts'

describe.skipIf(!HAS_FIXTURES)('a session over the published documents (needs ../shared)', () => {
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
      expect(extra).toMatchObject({ ok: false, error: { message: '/novel is not an argument' } })
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

  it('does not fetch schemas when arguments are not to be checked', async () => {
    const network = createNetwork()
    const session = await open(network, { checkArguments: false })
    const schemas = network.requests.filter(({ url }) => url.includes('/types/'))
    expect(schemas).toEqual([])
    expect(session.operations.operations).toHaveLength(13)
  })
})
