import { describe, expect, it } from 'vitest'
import {
  createRandom,
  HAS_FIXTURES,
  type LooseEntry,
  makeProfile,
  readFixture,
  VERSION,
} from '../../test/support/ucp.ts'
import { createAuthority } from './authority.ts'
import { type NegotiateInput, type Negotiation, negotiate, toRules } from './negotiate.ts'
import { createProfileValidator } from './validate-profile.ts'

const CHECKOUT = 'dev.ucp.shopping.checkout'
const CART = 'dev.ucp.shopping.cart'
const DISCOUNT = 'dev.ucp.shopping.discount'
const FULFILLMENT = 'dev.ucp.shopping.fulfillment'

describe('reading profiles', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    ['text', ''],
    [[], ''],
    [{}, '/ucp'],
    [{ ucp: [] }, '/ucp'],
    [{ ucp: {} }, '/ucp/version'],
    [{ ucp: { version: 'draft' } }, '/ucp/version'],
    [{ ucp: { version: '2026-4-8' } }, '/ucp/version'],
  ])('calls %j malformed and names %j [UCP-1] [UCP-2]', (business, field) => {
    const result = negotiate({ business, platform: makeProfile({}) })
    expect(result.outcome).toBe('profile_malformed')
    expect(result.diagnostics).toContainEqual({
      code: 'profile_malformed',
      side: 'business',
      field,
    })
  })

  it('refuses what the layout forbids when it is strict, and names the field [UCP-3]', () => {
    const platform = { ucp: { version: VERSION, capabilities: { [CART]: [{ version: VERSION }] } } }
    const business = makeProfile({ [CART]: {} })
    expect(negotiate({ business, platform }).outcome).toBe('ok')
    const strict = negotiate({ business, platform, validator: createProfileValidator() })
    expect(strict.outcome).toBe('profile_malformed')
    expect(strict.diagnostics).toContainEqual({
      code: 'profile_malformed',
      side: 'platform',
      field: '/ucp/services',
    })
  })

  it('wraps a single entry and reports it [UCP-6]', () => {
    const business = makeProfile({})
    business.ucp.capabilities[CART] = { version: VERSION }
    const result = negotiate({ business, platform: makeProfile({ [CART]: {} }) })
    expect([...result.active.keys()]).toEqual([CART])
    expect(result.diagnostics).toEqual([
      {
        code: 'entry_not_in_array',
        side: 'business',
        field: '/ucp/capabilities/dev.ucp.shopping.cart',
      },
    ])
  })

  it.each([
    [{ version: 7 }, '/ucp/capabilities/dev.ucp.shopping.cart/0/version'],
    [{ extends: [] }, '/ucp/capabilities/dev.ucp.shopping.cart/0/extends'],
    [{ extends: 4 }, '/ucp/capabilities/dev.ucp.shopping.cart/0/extends'],
    [{ extends: { a: 1 } }, '/ucp/capabilities/dev.ucp.shopping.cart/0/extends'],
    [{ extends: ['no-dots'] }, '/ucp/capabilities/dev.ucp.shopping.cart/0/extends'],
    [{ schema: 5 }, '/ucp/capabilities/dev.ucp.shopping.cart/0/schema'],
  ])('drops the entry %j and names the field [UCP-11]', (entry, field) => {
    const business = makeProfile({ [CART]: entry as never, [CHECKOUT]: {} })
    const result = negotiate({ business, platform: makeProfile({ [CART]: {}, [CHECKOUT]: {} }) })
    expect([...result.active.keys()]).toEqual([CHECKOUT])
    expect(result.excluded.get(CART)).toBe('invalid_entry')
    expect(result.diagnostics).toEqual([
      { code: 'invalid_entry', side: 'business', capability: CART, field },
    ])
  })

  it('ignores names outside the grammar, prototype-like ones too, and reports them [UCP-4] [UCP-105]', () => {
    const text = `{"ucp":{"version":"${VERSION}","capabilities":{
      "__proto__":[{"version":"${VERSION}"}],"constructor":[{"version":"${VERSION}"}],
      "toString":[{"version":"${VERSION}"}],"Com.x":[{"version":"${VERSION}"}],
      "${CART}":[{"version":"${VERSION}"}]}}}`
    const result = negotiate({ business: JSON.parse(text), platform: JSON.parse(text) })
    expect([...result.active.keys()]).toEqual([CART])
    const fields = result.diagnostics.filter(({ side }) => side === 'business')
    expect(fields.map(({ code, field }) => [code, field])).toEqual([
      ['invalid_name', '/ucp/capabilities/__proto__'],
      ['invalid_name', '/ucp/capabilities/constructor'],
      ['invalid_name', '/ucp/capabilities/toString'],
      ['invalid_name', '/ucp/capabilities/Com.x'],
    ])
  })

  it('accepts unknown members anywhere [UCP-14]', () => {
    const business = makeProfile({ [CART]: { novel: { deep: [1] } } }, { ucp: 5, novel: true })
    const result = negotiate({
      business: { ...business, x: 1 },
      platform: makeProfile({ [CART]: {} }),
    })
    expect(result).toMatchObject({ outcome: 'ok', diagnostics: [] })
  })

  it('refuses private keys, skips unknown ones, reads signing_keys when keys is absent [UCP-15] [UCP-16]', () => {
    const good = { kid: 'a', kty: 'OKP', crv: 'Ed25519', x: 'x', alg: 'EdDSA' }
    const keys = [
      good,
      { ...good, d: 'private' },
      { kid: 'b', kty: 'NEW' },
      { ...good, alg: 'ES256' },
      { kty: 'EC' },
      7,
    ]
    const platform = makeProfile({ [CART]: {} })
    const current = negotiate({ business: { ...makeProfile({ [CART]: {} }), keys }, platform })
    expect(current.outcome).toBe('ok')
    expect(current.parties?.business.profile.keys).toEqual([good])
    expect(current.diagnostics.map(({ code, field }) => [code, field])).toEqual([
      ['key_refused', '/keys/1'],
      ['key_skipped', '/keys/2'],
      ['key_refused', '/keys/3'],
      ['key_refused', '/keys/4'],
      ['key_refused', '/keys/5'],
    ])
    const older = { ...makeProfile({ [CART]: {} }), signing_keys: [good] }
    const legacy = negotiate({ business: older, platform })
    expect(legacy.parties?.business.profile.keys).toEqual([good])
  })

  it('lifts the layout of 2026-01-11, handlers included, and reports it once per side [UCP-17]', () => {
    const version = '2026-01-11'
    const business = {
      ucp: {
        version,
        services: {
          'dev.ucp.shopping': {
            version,
            spec: 'https://ucp.dev/spec',
            rest: { schema: 'https://ucp.dev/rest.json', endpoint: 'https://shop.example' },
            a2a: { endpoint: 'https://shop.example/card.json' },
          },
        },
        capabilities: [{ name: CHECKOUT, version }, { version }, 3],
      },
      payment: { handlers: [{ id: 'p', name: 'com.pay.x', version, config: {} }] },
    }
    const platform = { ucp: { version, capabilities: [{ name: CHECKOUT, version }] } }
    const result = negotiate({ business, platform })
    expect([...result.active.keys()]).toEqual([CHECKOUT])
    const codes = result.diagnostics.map(({ code, side }) => `${side} ${code}`)
    expect(codes.filter((code) => code.endsWith('legacy_profile_shape'))).toHaveLength(2)
    expect(codes.filter((code) => code.endsWith('invalid_name'))).toHaveLength(2)
    const profile = result.parties?.business.profile
    expect(profile?.services.get('dev.ucp.shopping')).toMatchObject([
      { transport: 'rest', version, endpoint: 'https://shop.example' },
      { transport: 'a2a', version },
    ])
    expect(profile?.paymentHandlers.get('com.pay.x')).toMatchObject([{ id: 'p' }])
  })

  it('negotiates with a bare agent profile without a remark [UCP-18]', () => {
    const platform = {
      ucp: {
        version: VERSION,
        capabilities: { [CHECKOUT]: [{ version: VERSION }], [FULFILLMENT]: [{ version: VERSION }] },
      },
    }
    const business = makeProfile({ [CHECKOUT]: {}, [FULFILLMENT]: { extends: CHECKOUT } })
    const result = negotiate({ business, platform })
    expect([...result.active.keys()]).toEqual([CHECKOUT, FULFILLMENT])
    expect(result.diagnostics).toEqual([])
  })

  it('keeps the first of two entries with the same version and reports it', () => {
    const business = makeProfile({
      [CART]: [{ operations: ['first'] }, { operations: ['second'] }],
    })
    const result = negotiate({ business, platform: makeProfile({ [CART]: {} }) })
    expect(result.active.get(CART)?.entry.operations).toEqual(['first'])
    expect(result.diagnostics).toEqual([
      { code: 'duplicate_version_entry', side: 'business', capability: CART },
    ])
  })

  it('remarks on a day that does not exist and goes on', () => {
    const entry = { version: '2026-02-30' }
    const name = 'example.acme.shop.x'
    const result = negotiate({
      business: makeProfile({ [name]: entry }),
      platform: makeProfile({ [name]: entry }),
    })
    expect(result.active.get(name)?.version).toBe('2026-02-30')
    expect(result.diagnostics.map(({ code, side }) => [code, side])).toEqual([
      ['impossible_date', 'business'],
      ['impossible_date', 'platform'],
    ])
  })

  it.each([
    ['grpc', undefined, 'unknown_transport', 'transport'],
    [undefined, undefined, 'unknown_transport', 'transport'],
    ['rest', undefined, 'endpoint_missing', 'endpoint'],
    ['rest', 7, 'invalid_entry', 'endpoint'],
    ['rest', 'javascript:alert(1)', 'endpoint_refused', 'endpoint'],
    ['rest', 'https://u:p@shop.example', 'endpoint_refused', 'endpoint'],
    ['rest', 'http://shop.example', 'endpoint_not_https', 'endpoint'],
    ['rest', '{{ENDPOINT}}', 'endpoint_not_https', 'endpoint'],
  ])('remarks on a service over %j at %j [UCP-7] [UCP-8]', (transport, endpoint, code, member) => {
    const services = { 'dev.ucp.shopping': [{ version: VERSION, transport, endpoint }] }
    const business = makeProfile({ [CART]: {} }, { services })
    const result = negotiate({ business, platform: makeProfile({ [CART]: {} }) })
    expect(result.outcome).toBe('ok')
    expect(result.diagnostics).toEqual([
      {
        code,
        side: 'business',
        service: 'dev.ucp.shopping',
        field: `/ucp/services/dev.ucp.shopping/0/${member}`,
      },
    ])
  })

  it('accepts spec on any https host and remarks on http [UCP-44]', () => {
    const business = makeProfile({
      [CART]: { spec: 'https://elsewhere.example/cart' },
      [CHECKOUT]: { spec: 'http://ucp.dev/checkout' },
    })
    const result = negotiate({ business, platform: makeProfile({ [CART]: {}, [CHECKOUT]: {} }) })
    expect(result.active.size).toBe(2)
    expect(result.diagnostics).toEqual([
      {
        code: 'spec_not_https',
        side: 'business',
        capability: CHECKOUT,
        field: '/ucp/capabilities/dev.ucp.shopping.checkout/0/spec',
      },
    ])
  })

  it('never throws on random rubbish, and names a field for whatever it refuses', () => {
    const random = createRandom(7)
    for (let round = 0; round < 3_000; round += 1) {
      const business = damage(makeProfile({ [CART]: {}, [DISCOUNT]: { extends: CART } }), random)
      const platform = damage(makeProfile({ [CART]: {}, [DISCOUNT]: { extends: CART } }), random)
      const result = negotiate({ business, platform })
      if (result.outcome !== 'profile_malformed') continue
      expect(result.diagnostics.some(({ field }) => field !== undefined)).toBe(true)
    }
  })

  it('reads a profile of a megabyte', () => {
    const capabilities = Object.fromEntries(
      Array.from({ length: 9_000 }, (_, index) => [`example.acme.shop.c${index}`, {}]),
    )
    const profile = makeProfile(capabilities)
    expect(JSON.stringify(profile).length).toBeGreaterThan(1_000_000)
    expect(negotiate({ business: profile, platform: profile }).active.size).toBe(9_000)
  })

  it('refuses a profile with more names than any business has', () => {
    const capabilities = Object.fromEntries(
      Array.from({ length: 50_001 }, (_, index) => [`a.b.c${index}`, 1]),
    )
    const business = makeProfile({}, { capabilities })
    const result = negotiate({ business, platform: makeProfile({}) })
    expect(result.diagnostics).toContainEqual({
      code: 'profile_malformed',
      side: 'business',
      field: '/ucp/capabilities',
    })
  })
})

describe('choosing the protocol version', () => {
  const LEAF = 'https://shop.example/.well-known/ucp/2026-01-23'
  const leaf = (members: object = {}): unknown => ({
    ucp: {
      version: '2026-01-23',
      capabilities: { [CHECKOUT]: [{ version: '2026-01-23' }] },
      ...members,
    },
  })
  const input = (document: unknown): NegotiateInput => ({
    business: makeProfile({ [CART]: {} }, { supported_versions: { '2026-01-23': LEAF } }),
    platform: {
      ucp: {
        version: '2026-01-23',
        capabilities: { [CHECKOUT]: [{ version: '2026-01-23' }], [CART]: [{ version: VERSION }] },
      },
    },
    document: (url) => (url === LEAF ? document : undefined),
  })

  it('uses the current profile when the versions are equal and asks for no leaf [UCP-35]', () => {
    const asked: string[] = []
    const business = makeProfile({ [CART]: {} }, { supported_versions: { '2026-01-23': LEAF } })
    const result = negotiate({
      business,
      platform: makeProfile({ [CART]: {} }),
      document: (url) => void asked.push(url),
    })
    expect(result.protocolVersion).toBe(VERSION)
    expect(asked).toEqual([])
  })

  it('uses the leaf alone [UCP-36] [UCP-41]', () => {
    const result = negotiate(input(leaf()))
    expect(result.protocolVersion).toBe('2026-01-23')
    expect([...result.active.keys()]).toEqual([CHECKOUT])
    expect(result.excluded.size).toBe(0)
  })

  it.each([
    [undefined, 'leaf_unavailable'],
    [{ ucp: 3 }, 'leaf_unavailable'],
    [{ ucp: { version: VERSION } }, 'leaf_version_mismatch'],
  ])('does not use the leaf %j [UCP-37]', (document, code) => {
    const result = negotiate(input(document))
    expect(result.outcome).toBe('version_unsupported')
    expect(result.diagnostics).toEqual([{ code, side: 'business' }])
  })

  it('reports a leaf that links further versions and never follows them [UCP-19]', () => {
    const asked: string[] = []
    const { business, platform } = input(undefined)
    const further = { '2026-01-11': 'https://shop.example/older' }
    const result = negotiate({
      business,
      platform,
      document: (url) => {
        asked.push(url)
        return leaf({ supported_versions: further })
      },
    })
    expect(asked).toEqual([LEAF])
    expect(result.outcome).toBe('ok')
    expect(result.diagnostics).toEqual([{ code: 'leaf_has_supported_versions', side: 'business' }])
  })

  it.each(['2026-04-07', '2026-04-09', '2025-01-01', '2030-01-01'])(
    'does not take %s for %s because it is older or newer [UCP-39] [UCP-40]',
    (version) => {
      const result = negotiate({
        business: makeProfile({ [CART]: {} }),
        platform: makeProfile({ [CART]: {} }, { version }),
      })
      expect(result).toMatchObject({ outcome: 'version_unsupported', protocolVersion: undefined })
    },
  )

  it('ignores links that are no date or no URL', () => {
    const supported = { draft: LEAF, '2026-01-23': 7, '2026-01-11': 'nowhere' }
    const result = negotiate({
      business: makeProfile({ [CART]: {} }, { supported_versions: supported }),
      platform: makeProfile({ [CART]: {} }),
    })
    expect(result.diagnostics.map(({ field }) => field)).toEqual([
      '/ucp/supported_versions/draft',
      '/ucp/supported_versions/2026-01-23',
      '/ucp/supported_versions/2026-01-11',
    ])
  })
})

describe('authority and entry filters', () => {
  const VECTORS: readonly (readonly [name: string, url: string, bound: boolean])[] = [
    [CHECKOUT, 'https://ucp.dev/s.json', true],
    [CHECKOUT, 'https://shopping.ucp.dev/s.json', true],
    [CHECKOUT, 'https://UCP.DEV/s.json', true],
    [CHECKOUT, 'https://ucp.dev./s.json', true],
    [CHECKOUT, 'https://ucp.dev:8443/s.json', true],
    ['com.example.pay', 'https://pay.example.com/s.json', true],
    ['com.example.pay', 'https://example.com', true],
    ['xn--p1ai.xn--e1afmkfd.shop', 'https://пример.рф/s.json', true],
    ['com.example.pay', 'https://cdn.example.com/s.json', false],
    ['com.examplecorp.pay', 'https://example.com/s.json', false],
    [CHECKOUT, 'https://ucp.dev.evil.example/s.json', false],
    [CHECKOUT, 'https://ucp.dev@evil.example/s.json', false],
    [CHECKOUT, 'https://user:pass@ucp.dev/s.json', false],
    [CHECKOUT, 'http://ucp.dev/s.json', false],
    [CHECKOUT, 'ftp://ucp.dev/s.json', false],
    [CHECKOUT, 'https://dev/s.json', false],
    [CHECKOUT, 'https://localhost/s.json', false],
    [CHECKOUT, 'https://203.0.113.10/s.json', false],
    [CHECKOUT, 'https://[2001:db8::1]/s.json', false],
    [CHECKOUT, 'https://0xcb.0.0x71.10/s.json', false],
    [CHECKOUT, '//ucp.dev/s.json', false],
    [CHECKOUT, 'ucp.dev/s.json', false],
    [CHECKOUT, '', false],
    [CHECKOUT, 'https://ucp.dev\\@evil.example/s.json', true],
    [CHECKOUT, 'https://evil.example\\@ucp.dev/s.json', false],
    [CHECKOUT, 'https://ucp.dev..evil.example/', false],
    [CHECKOUT, 'https://\n/evil.example/', false],
    ['example.evil.x', 'https://\n/ucp.dev/', false],
  ]

  it.each(VECTORS)('%s at %j: %s [UCP-42]', (name, url, bound) => {
    expect(createAuthority().owns(name, url)).toBe(bound)
  })

  it('gives the same verdicts when it has seen all hosts before [UCP-42]', () => {
    const authority = createAuthority()
    for (const round of [1, 2]) {
      for (const [name, url, bound] of VECTORS) {
        expect(authority.owns(name, url), `${round} ${url}`).toBe(bound)
      }
    }
  })

  it('drops a capability that a foreign host defines, and what extends it [UCP-43] [UCP-46] [UCP-59]', () => {
    const foreign = { schema: 'https://evil.example/cart.json' }
    const both = { [CHECKOUT]: {}, [CART]: foreign, [DISCOUNT]: { extends: CART } }
    const result = negotiate({ business: makeProfile(both), platform: makeProfile(both) })
    expect(activeOf(result)).toEqual([CHECKOUT])
    expect(Object.fromEntries(result.excluded)).toEqual({
      [CART]: 'authority_mismatch',
      [DISCOUNT]: 'orphaned_extension',
    })
    expect(result.dropped.map(({ side, name, reason }) => [side, name, reason])).toEqual([
      ['business', CART, 'authority_mismatch'],
      ['platform', CART, 'authority_mismatch'],
    ])
  })

  it('checks services and payment handlers as well [UCP-45]', () => {
    const services = {
      'dev.ucp.shopping': [
        {
          version: VERSION,
          transport: 'rest',
          endpoint: 'https://s.example',
          schema: 'https://e.example/r',
        },
      ],
    }
    const handler = [{ id: 'p', version: '2026-01-11', schema: 'https://evil.example/h.json' }]
    const business = makeProfile(
      { [CART]: {} },
      { services, payment_handlers: { 'com.google.pay': handler } },
    )
    const result = negotiate({ business, platform: makeProfile({ [CART]: {} }) })
    expect(result.dropped.map(({ registry, name }) => [registry, name])).toEqual([
      ['services', 'dev.ucp.shopping'],
      ['payment_handlers', 'com.google.pay'],
    ])
    expect(result.parties?.business.paymentHandlers.size).toBe(0)
  })

  it('treats a dev.ucp entry of another version as absent under the newest rules only [UCP-47] [UCP-48]', () => {
    const both = { [CHECKOUT]: {}, [CART]: { version: '2026-01-23' } }
    const input = { business: makeProfile(both), platform: makeProfile(both) }
    const newest = negotiate(input)
    expect(activeOf(newest)).toEqual([CHECKOUT])
    expect(newest.excluded.get(CART)).toBe('version_skew')
    expect(activeOf(negotiate({ ...input, rules: '2026-04-08' }))).toEqual([CART, CHECKOUT])
  })

  it('binds spec to the name under the older rules only [UCP-48]', () => {
    const both = { [CART]: { spec: 'https://elsewhere.example/cart' } }
    const input = { business: makeProfile(both), platform: makeProfile(both) }
    expect(negotiate(input).outcome).toBe('ok')
    expect(negotiate({ ...input, rules: '2026-04-08' }).excluded.get(CART)).toBe(
      'authority_mismatch',
    )
  })

  it('lets vendors use any date [UCP-49]', () => {
    const both = { 'example.acme.shop.wishlist': { version: '2025-07-01' } }
    const result = negotiate({ business: makeProfile(both), platform: makeProfile(both) })
    expect(result.active.get('example.acme.shop.wishlist')?.version).toBe('2025-07-01')
  })

  it('accepts schemas on loopback hosts in development only', () => {
    const both = { 'example.acme.shop.x': { schema: 'http://127.0.0.1:4000/x.json' } }
    const input = { business: makeProfile(both), platform: makeProfile(both) }
    expect(negotiate(input).outcome).toBe('capabilities_incompatible')
    expect(negotiate({ ...input, allowLoopback: true }).outcome).toBe('ok')
  })

  it('knows the rules of a date', () => {
    const dates = [
      undefined,
      'any',
      '2026-01-11',
      '2026-04-08',
      '2026-07-31',
      '2026-08-25',
      '2027-01-01',
    ]
    expect(dates.map(toRules)).toEqual([
      '2026-08-25',
      '2026-08-25',
      '2026-04-08',
      '2026-04-08',
      '2026-04-08',
      '2026-08-25',
      '2026-08-25',
    ])
  })
})

describe('intersection', () => {
  const WISHLIST = 'example.acme.shop.wishlist'

  it('activates what both have in the same version [UCP-50] [UCP-51]', () => {
    const result = negotiate({
      business: makeProfile({ [CHECKOUT]: {}, [CART]: {}, [WISHLIST]: { version: '2026-03-01' } }),
      platform: makeProfile({ [CHECKOUT]: {}, [WISHLIST]: { version: '2026-02-01' } }),
    })
    expect(activeOf(result)).toEqual([CHECKOUT])
    expect(Object.fromEntries(result.excluded)).toEqual({
      [CART]: 'not_in_platform',
      [WISHLIST]: 'no_mutual_version',
    })
  })

  it('takes the greatest shared version and its entry, whatever the order [UCP-52] [UCP-53] [UCP-72]', () => {
    const business = [
      { version: '2026-02-01', operations: ['two'] },
      { version: '2026-03-01', operations: ['three'] },
      { version: '2026-01-01', operations: ['one'] },
    ]
    const platform = [
      { version: '2026-01-01' },
      { version: '2026-02-01' },
      { version: '2026-04-01' },
    ]
    for (const list of [business, business.toReversed()]) {
      const result = negotiate({
        business: makeProfile({ [WISHLIST]: list }),
        platform: makeProfile({ [WISHLIST]: platform }),
      })
      expect(result.active.get(WISHLIST)).toMatchObject({
        version: '2026-02-01',
        entry: { operations: ['two'] },
      })
    }
  })

  it('removes an extension without its parent [UCP-54]', () => {
    const result = both({ [CART]: {} }, { [FULFILLMENT]: { extends: CHECKOUT } })
    expect(activeOf(result)).toEqual([CART])
    expect(result.excluded.get(FULFILLMENT)).toBe('orphaned_extension')
  })

  it('keeps an extension while one of its parents lives [UCP-55]', () => {
    const result = both({ [CART]: {} }, { [DISCOUNT]: { extends: [CHECKOUT, CART] } })
    expect(result.active.get(DISCOUNT)).toMatchObject({ kind: 'extension', parents: [CART] })
  })

  it('removes an extension none of whose parents lives [UCP-56]', () => {
    const result = both({ [CART]: {} }, { [DISCOUNT]: { extends: [CHECKOUT, FULFILLMENT] } })
    expect(activeOf(result)).toEqual([CART])
  })

  it('removes chains and what hangs on removed parents [UCP-57] [UCP-58]', () => {
    const result = both(
      { [CART]: {} },
      {
        'example.acme.a': { extends: CHECKOUT },
        'example.acme.b': { extends: 'example.acme.a' },
        'example.acme.c': { extends: ['example.acme.b', 'example.acme.a'] },
        'example.acme.d': { extends: ['example.acme.c', CART] },
      },
    )
    expect(activeOf(result)).toEqual([CART, 'example.acme.d'])
  })

  it('reads extends from the business and reports a platform that sees it differently [UCP-63]', () => {
    const result = negotiate({
      business: makeProfile({ [CART]: {}, [CHECKOUT]: {}, [DISCOUNT]: { extends: [CART] } }),
      platform: makeProfile({ [CART]: {}, [DISCOUNT]: { extends: [CHECKOUT] } }),
    })
    expect(activeOf(result)).toEqual([CART, DISCOUNT])
    expect(result.diagnostics).toEqual([{ code: 'extends_differs', capability: DISCOUNT }])
  })

  it('does not call a list different because of order or spelling as one string [UCP-63]', () => {
    const lists = [
      [
        [CART, CHECKOUT],
        [CHECKOUT, CART],
      ],
      [[CART], CART],
      [[CART, CART], CART],
    ]
    for (const [ours, theirs] of lists) {
      const result = negotiate({
        business: makeProfile({ [CART]: {}, [DISCOUNT]: { extends: ours } }),
        platform: makeProfile({ [CART]: {}, [DISCOUNT]: { extends: theirs } }),
      })
      expect(result.diagnostics).toEqual([])
    }
  })

  it('keeps cycles, reports every member, and ends [UCP-64]', () => {
    const result = both(
      { [CART]: {} },
      {
        'example.acme.a': { extends: 'example.acme.b' },
        'example.acme.b': { extends: 'example.acme.a' },
        'example.acme.c': { extends: 'example.acme.b' },
        'example.acme.self': { extends: 'example.acme.self' },
        'example.acme.rooted': { extends: ['example.acme.loop', CART] },
        'example.acme.loop': { extends: 'example.acme.rooted' },
      },
    )
    expect(result.active.size).toBe(7)
    expect(result.diagnostics).toEqual(
      ['a', 'b', 'c', 'self'].map((name) => ({
        code: 'extension_cycle',
        capability: `example.acme.${name}`,
      })),
    )
  })

  it('reports an empty result as incompatible, which is no transport error [UCP-67]', () => {
    const result = negotiate({
      business: makeProfile({ [CART]: {} }),
      platform: makeProfile({ [CHECKOUT]: {} }),
    })
    expect(result).toMatchObject({ outcome: 'capabilities_incompatible', protocolVersion: VERSION })
  })

  it('leaves payment handlers out of the intersection [UCP-68]', () => {
    const handlers = { 'com.google.pay': [{ id: 'g', version: '2026-01-11' }] }
    const result = negotiate({
      business: makeProfile({ [CART]: {} }, { payment_handlers: handlers }),
      platform: makeProfile({ [CART]: {} }),
    })
    expect(activeOf(result)).toEqual([CART])
    expect(result.excluded.size).toBe(0)
  })

  it('prunes a chain of ten thousand extensions step by step, not round by round [UCP-69]', () => {
    const chain = (length: number): Record<string, LooseEntry> =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `example.acme.c${index}`,
          { extends: `example.acme.c${index + 1}` },
        ]),
      )
    const result = both({ [CART]: {} }, chain(10_000))
    expect(activeOf(result)).toEqual([CART])
    expect(result.excluded.size).toBe(10_000)
  })

  it('is not influenced by map_order [UCP-20] or by operations [UCP-106]', () => {
    const capabilities = { [CART]: {}, [CHECKOUT]: {}, [DISCOUNT]: { extends: CART } }
    const plain = negotiate({
      business: makeProfile(capabilities),
      platform: makeProfile(capabilities),
    })
    const ordered = makeProfile(capabilities, {
      map_order: { capabilities: [DISCOUNT, CART, 'unknown', CART], novel: [] },
    })
    const withOrder = negotiate({ business: ordered, platform: ordered })
    const listed = makeProfile({ ...capabilities, [CART]: { operations: ['x'] } })
    const withOperations = negotiate({ business: listed, platform: makeProfile(capabilities) })
    for (const other of [withOrder, withOperations]) {
      expect(activeOf(other)).toEqual(activeOf(plain))
      expect(other.excluded).toEqual(plain.excluded)
    }
  })
})

describe('requires', () => {
  const GIFT = 'example.acme.shop.gift'
  const CARD = 'example.acme.shop.card'
  const URL_OF_GIFT = 'https://acme.example/schemas/example.acme.shop.gift.json'
  const withRequires = (requires: unknown): Negotiation => {
    const capabilities = { [CART]: {}, [GIFT]: { extends: CART }, [CARD]: { extends: GIFT } }
    return negotiate({
      business: makeProfile(capabilities),
      platform: makeProfile(capabilities),
      document: (url) => (url === URL_OF_GIFT ? { requires } : undefined),
    })
  }

  it.each([
    [{ protocol: { min: '2026-04-09' } }],
    [{ protocol: { min: '2026-01-01', max: '2026-04-07' } }],
    [{ capabilities: { [CART]: { min: '2026-05-01' } } }],
    [{ capabilities: { [CART]: { min: '2026-01-01', max: '2026-04-07' } } }],
  ])('removes an extension whose %j is violated, and what hangs on it [UCP-65]', (requires) => {
    const result = withRequires(requires)
    expect(activeOf(result)).toEqual([CART])
    expect(Object.fromEntries(result.excluded)).toEqual({
      [GIFT]: 'requires_violated',
      [CARD]: 'orphaned_extension',
    })
  })

  it.each([
    [undefined],
    [{}],
    [{ protocol: { min: VERSION, max: VERSION } }],
    [{ protocol: { min: '2026-01-01' } }],
    [{ capabilities: { [CART]: { min: VERSION, max: VERSION } } }],
    [{ capabilities: { [CHECKOUT]: { min: '2030-01-01' } } }],
  ])('keeps an extension whose %j is met or not about anything active [UCP-66]', (requires) => {
    expect(withRequires(requires).active.size).toBe(3)
  })

  it.each([[7], [{ protocol: 'new' }], [{ capabilities: [] }], [{ capabilities: { [CART]: {} } }]])(
    'reports the malformed requires %j and ignores it',
    (requires) => {
      const result = withRequires(requires)
      expect(result.active.size).toBe(3)
      expect(result.diagnostics).toEqual([{ code: 'requires_malformed', capability: GIFT }])
    },
  )
})

describe.skipIf(!HAS_FIXTURES)('the official sample profiles (needs ../shared)', () => {
  it('negotiate with one another', () => {
    const read = (name: string): unknown => readFixture(`profiles/samples-${name}-2026-01-11.json`)
    const platform = read('a2a-platform')
    expect(activeOf(negotiate({ business: read('a2a-business'), platform }))).toEqual([
      CHECKOUT,
      FULFILLMENT,
    ])
    expect(activeOf(negotiate({ business: read('rest'), platform }))).toEqual([
      'dev.ucp.shopping.buyer_consent',
      CHECKOUT,
      DISCOUNT,
      FULFILLMENT,
    ])
    expect(negotiate({ business: read('rest'), platform: read('rest') }).active.size).toBe(5)
  })
})

function both(
  roots: Record<string, LooseEntry>,
  extensions: Record<string, LooseEntry>,
): Negotiation {
  const profile = makeProfile({ ...roots, ...extensions })
  return negotiate({ business: profile, platform: profile })
}

function activeOf({ active }: Negotiation): readonly string[] {
  return [...active.keys()]
}

const RUBBISH: readonly unknown[] = [null, 0, '', 'x', [], {}, [[]], true, { a: { b: [] } }]

function damage(profile: unknown, random: () => number): unknown {
  const copy = structuredClone(profile)
  let place = copy as Record<string, unknown>
  for (;;) {
    const keys = Object.keys(place)
    const key = keys[Math.floor(random() * keys.length)]
    if (key === undefined) return copy
    const child = place[key]
    if (typeof child === 'object' && child !== null && random() < 0.7) {
      place = child as Record<string, unknown>
      continue
    }
    place[key] = RUBBISH[Math.floor(random() * RUBBISH.length)]
    return copy
  }
}
