import { describe, expect, it } from 'vitest'
import { activeOf } from '../../../test/support/negotiation.ts'
import { CART, CHECKOUT, DISCOUNT, makeProfile, VERSION } from '../../../test/support/ucp.ts'
import { createAuthority } from '../authority.ts'
import { negotiate, toRules } from './negotiate.ts'

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
