import { describe, expect, it } from 'vitest'
import { activeOf, both } from '../../../test/support/negotiation.ts'
import {
  CART,
  CHECKOUT,
  DISCOUNT,
  FULFILLMENT,
  HAS_FIXTURES,
  type LooseEntry,
  makeProfile,
  readFixture,
  VERSION,
} from '../../../test/support/ucp.ts'
import { type Negotiation, negotiate } from './negotiate.ts'

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

  it('reports an empty result as incompatible, which is not a transport error [UCP-67]', () => {
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
