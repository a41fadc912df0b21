import { describe, expect, it } from 'vitest'
import {
  CART,
  CHECKOUT,
  createRandom,
  DISCOUNT,
  FULFILLMENT,
  makeProfile,
  VERSION,
} from '../../../test/support/ucp.ts'
import { createProfileValidator } from '../profile/schema.ts'
import { negotiate } from './negotiate.ts'

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
    let refused = 0
    for (let round = 0; round < 3_000; round += 1) {
      const business = damage(makeProfile({ [CART]: {}, [DISCOUNT]: { extends: CART } }), random)
      const platform = damage(makeProfile({ [CART]: {}, [DISCOUNT]: { extends: CART } }), random)
      const result = negotiate({ business, platform })
      if (result.outcome !== 'profile_malformed') continue
      refused += 1
      expect(result.diagnostics.some(({ field }) => field !== undefined)).toBe(true)
    }
    expect(refused).toBeGreaterThan(100)
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
