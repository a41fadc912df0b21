import { describe, expect, it } from 'vitest'
import {
  CART,
  CHECKOUT,
  DISCOUNT,
  MCP_URL,
  makeProfile,
  ORDER,
  openApi,
  openRpc,
  REST_URL,
  VERSION,
} from '../../test/support/ucp.ts'
import { createDocumentIndex } from './documents/index-document.ts'
import { type Negotiation, negotiate } from './negotiate/negotiate.ts'
import { type OperationSet, resolveOperations } from './negotiate/operations.ts'
import { negotiateReport } from './negotiate/report.ts'
import { buildBusinessProfile, hostProfile, type ProfileDefinition } from './profile/build.ts'
import { lintProfile } from './profile/lint.ts'
import { formatAgentHeader, parseAgentHeader } from './session/agent-header.ts'
import {
  type ProtocolErrorCode,
  readProtocolError,
  toIncompatibleBody,
  toRestError,
  toRpcError,
} from './session/incoming.ts'
import { checkRequest, selectResponseCapabilities } from './session/request-check.ts'

const REST = openApi({
  create_cart: 'POST /carts',
  get_cart: 'GET /carts/{id}',
  get_order: 'GET /orders/{id}',
  create_checkout: 'POST /checkout-sessions',
})

describe('the UCP-Agent header', () => {
  it.each([
    ['profile="https://a.example/p"', 'https://a.example/p'],
    ['profile="https://a.example/p";v=1, x=?1', 'https://a.example/p'],
    ['profile="https://a.example/p"; version="2026-01-11"', 'https://a.example/p'],
    ['x=(a "b";c=1 2.5), y=:YWJj:, profile="https://a.example/p"', 'https://a.example/p'],
    ['flag, profile="https://a.example/p" ', 'https://a.example/p'],
    ['profile="https://old.example/", profile="https://new.example/"', 'https://new.example/'],
    ['profile="https://a.example/\\"q"', 'https://a.example/"q'],
  ])('%s gives %s [UCP-34]', (header, profile) => {
    expect(parseAgentHeader(header)).toEqual({ ok: true, profile })
  })

  it.each([
    undefined,
    '',
    'profile=https://a.example/p',
    'profile=token',
    'profile',
    'profile=("https://a.example/p")',
    'profile="http://a.example/p"',
    'profile="https://u:p@a.example/p"',
    'profile="not a url"',
    'other="https://a.example/p"',
    'profile="https://a.example/p',
    'profile="https://a.example/p",',
    'PROFILE="https://a.example/p"',
    'profile="https://a.example/ü"',
    'profile="a" profile="b"',
  ])('%j is an invalid profile URL [UCP-34]', (header) => {
    expect(parseAgentHeader(header)).toMatchObject({ ok: false, code: 'invalid_profile_url' })
  })

  it('reads back what it writes', () => {
    for (const url of [
      'https://a.example/p?x="1"',
      'https://a.example/\\b',
      'https://пример.рф/',
    ]) {
      expect(parseAgentHeader(formatAgentHeader(url))).toEqual({
        ok: true,
        profile: new URL(url).href,
      })
    }
  })

  it('allows a loopback profile in development', () => {
    const header = 'profile="http://localhost:3000/p"'
    expect(parseAgentHeader(header).ok).toBe(false)
    expect(parseAgentHeader(header, { allowLoopback: true }).ok).toBe(true)
  })
})

describe('the request-time check', () => {
  it('judges by the capability that owns the operation [UCP-111] [UCP-112]', () => {
    const [negotiation, set] = agree(
      {
        [CART]: { operations: ['create_cart'] },
        [CHECKOUT]: {},
        [ORDER]: { operations: ['get_order', 'lost'] },
      },
      { [ORDER]: {} },
    )
    const verdict = (operation: string): unknown => checkRequest(negotiation, set, operation)
    expect(verdict('get_order')).toEqual({ verdict: 'allowed', owners: [ORDER] })
    expect(verdict('create_cart')).toEqual({ verdict: 'capabilities_incompatible', owners: [CART] })
    expect(verdict('update_checkout')).toEqual({
      verdict: 'capabilities_incompatible',
      owners: [CHECKOUT],
    })
    expect(verdict('delete_shop')).toEqual({ verdict: 'not_offered', owners: [] })
    expect(verdict('lost')).toEqual({ verdict: 'not_offered', owners: [ORDER] })
  })

  it('only warns when told so', () => {
    const [negotiation, set] = agree(
      { [CART]: { operations: ['get_cart'] }, [ORDER]: {} },
      { [ORDER]: {} },
    )
    expect(checkRequest(negotiation, set, 'get_cart', { enforce: 'warn' })).toEqual({
      verdict: 'allowed',
      owners: [CART],
      warning: 'capabilities_incompatible',
    })
  })

  it('does not take the list of an extension for an owner', () => {
    const [negotiation, set] = agree(
      { [CART]: {}, [DISCOUNT]: { extends: CART, operations: ['apply'] } },
      { [CART]: {} },
    )
    expect(checkRequest(negotiation, set, 'apply').verdict).toBe('not_offered')
  })
})

describe('responses', () => {
  it('list the root and what extends it, directly or not, and nothing else [UCP-109] [UCP-110]', () => {
    const extra = {
      [DISCOUNT]: { extends: [CART, CHECKOUT] },
      'example.acme.coupon': { extends: DISCOUNT },
      'example.acme.gift': { extends: CHECKOUT },
    }
    const [negotiation, set] = agree({ [CART]: {}, [CHECKOUT]: {}, ...extra })
    expect(selectResponseCapabilities(negotiation, set, 'create_cart')).toEqual([
      CART,
      DISCOUNT,
      'example.acme.coupon',
    ])
    expect(selectResponseCapabilities(negotiation, set, 'create_checkout')).toEqual([
      CHECKOUT,
      DISCOUNT,
      'example.acme.coupon',
      'example.acme.gift',
    ])
    expect(selectResponseCapabilities(negotiation, set, 'unknown')).toEqual([])
  })

  it('end although extensions extend one another', () => {
    const [negotiation, set] = agree({
      [CART]: {},
      'example.acme.a': { extends: [CART, 'example.acme.b'] },
      'example.acme.b': { extends: 'example.acme.a' },
    })
    expect(selectResponseCapabilities(negotiation, set, 'get_cart')).toEqual([
      CART,
      'example.acme.a',
      'example.acme.b',
    ])
  })

  it.each([
    ['invalid_profile_url', 400],
    ['profile_unreachable', 424],
    ['profile_malformed', 422],
    ['version_unsupported', 422],
  ] as [ProtocolErrorCode, number][])(
    'carry %s with %i and -32001 [UCP-113] [UCP-39]',
    (code, status) => {
      const text = { content: 'sorry', continueUrl: 'https://shop.example/' }
      const flat = { code, content: 'sorry', continue_url: 'https://shop.example/' }
      expect(toRestError(code, text)).toEqual({ status, body: flat })
      expect(toRpcError(code, text)).toEqual({ code: -32001, message: 'sorry', data: flat })
      expect(readProtocolError(flat)).toEqual({
        code,
        content: 'sorry',
        continueUrl: 'https://shop.example/',
      })
    },
  )

  it('say capabilities_incompatible in an ordinary answer with version and capabilities [UCP-67] [UCP-108]', () => {
    const body = toIncompatibleBody(VERSION, { content: 'nothing shared' })
    expect(body).toEqual({
      ucp: { version: VERSION, status: 'error', capabilities: {} },
      messages: [
        {
          type: 'error',
          code: 'capabilities_incompatible',
          content: 'nothing shared',
          severity: 'unrecoverable',
        },
      ],
    })
    expect(readProtocolError(body)?.code).toBe('capabilities_incompatible')
  })

  it.each([
    undefined,
    7,
    {},
    { ucp: {} },
    { ucp: { status: 'error' }, messages: [{}] },
    { code: 5 },
  ])('without an error give none: %j', (body) => {
    expect(readProtocolError(body)).toBeUndefined()
  })
})

describe('the profile of a business', () => {
  const definition: ProfileDefinition = {
    version: '2026-08-25',
    services: {
      'example.shop.store': [
        {
          transport: 'rest',
          endpoint: 'https://shop.example/api',
          schema: 'https://shop.example/openapi.json',
          spec: 'https://shop.example/docs',
        },
      ],
    },
    capabilities: [
      {
        name: 'example.shop.store.cart',
        schema: 'https://shop.example/cart.json',
        operations: ['get_cart', 'create_cart', 'get_cart', 'not_there'],
      },
      {
        name: 'example.shop.store.discount',
        schema: 'https://shop.example/discount.json',
        extends: ['example.shop.store.cart'],
      },
    ],
    documents: { 'https://shop.example/openapi.json': REST },
  }

  it('has operations on roots only, and only those of its documents [UCP-114]', () => {
    const profile = buildBusinessProfile(definition)
    expect(profile).toMatchObject({
      ucp: {
        capabilities: {
          'example.shop.store.cart': [{ operations: ['get_cart', 'create_cart'] }],
          'example.shop.store.discount': [{ extends: 'example.shop.store.cart' }],
        },
      },
    })
    const errors = lintProfile(profile, { documents: definition.documents })
    expect(errors.filter(({ severity }) => severity === 'error')).toEqual([])
    const report = negotiateReport({
      business: profile,
      platform: profile,
      documents: definition.documents,
    })
    expect(report.operation_ids).toEqual(['create_cart', 'get_cart'])
    expect(report.unresolved).toEqual([])
  })

  it.each([
    [{ version: 'draft' }, 'not YYYY-MM-DD'],
    [{ capabilities: [{ name: 'Nope' }] }, 'not a reverse-domain name'],
    [{ capabilities: [{ name: 'a.b.c', extends: [] }] }, 'extends is empty'],
    [{ capabilities: [{ name: 'a.b.c', extends: ['a.b'], operations: [] }] }, 'owns no operations'],
  ])('refuses the definition %j at once [UCP-114]', (change, message) => {
    expect(() => buildBusinessProfile({ ...definition, ...change })).toThrow(message)
  })

  it('is public, cacheable for a minute or more and tagged [UCP-29] [UCP-30] [UCP-31]', () => {
    const hosted = hostProfile(buildBusinessProfile(definition), { maxAgeSeconds: 5 })
    const answer = hosted.answer()
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
      etag: hosted.etag,
    })
    expect(JSON.parse(String(answer.body))).toHaveProperty('ucp.version', '2026-08-25')
    for (const tag of [hosted.etag, `W/${hosted.etag}`, `"x", ${hosted.etag}`, '*']) {
      expect(hosted.answer(tag)).toMatchObject({ status: 304, body: '' })
    }
    expect(hosted.answer('"other"').status).toBe(200)
  })
})

function agree(
  business: Parameters<typeof makeProfile>[0],
  platform = business,
): readonly [Negotiation, OperationSet] {
  const negotiation = negotiate({
    business: makeProfile(business),
    platform: makeProfile(platform),
  })
  const documents = createDocumentIndex({
    [REST_URL]: REST,
    [MCP_URL]: openRpc('create_cart', 'get_cart', 'get_order', 'create_checkout'),
  })
  return [negotiation, resolveOperations(negotiation, { documents })]
}
