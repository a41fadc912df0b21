import { describe, expect, it } from 'vitest'
import {
  CART,
  CHECKOUT,
  DISCOUNT,
  HAS_FIXTURES,
  MCP_URL,
  makeProfile,
  openApi,
  openRpc,
  publishedDocuments,
  REST_URL,
  readFixture,
  VERSION,
} from '../../../test/support/ucp.ts'
import { negotiate } from '../negotiate/negotiate.ts'
import { formatNegotiation, negotiateReport } from '../negotiate/report.ts'
import { guessSide, lintProfile } from './lint.ts'

const DOCUMENTS = {
  [REST_URL]: openApi({ create_cart: 'POST /carts', get_cart: 'GET /carts/{id}' }),
  [MCP_URL]: openRpc('create_cart', 'get_cart'),
}

describe('lintProfile', () => {
  it('has nothing to say about a good profile', () => {
    const profile = makeProfile({ [CART]: { operations: ['create_cart', 'get_cart'] } })
    expect(lintProfile(profile, { documents: DOCUMENTS })).toEqual([])
  })

  it.each([
    [{ operations: ['get_cart', 'create_cart', 'nope'] }, 'operation_not_found', 'error'],
    [{ operations: ['get_cart', 'create_cart', 'get_cart'] }, 'duplicate_operation', 'warning'],
    [{ operations: ['get_cart'] }, 'operation_unclaimed', 'info'],
    [{}, 'operations_missing', 'warning'],
    [{ operations: 'x' }, 'layout', 'error'],
    [{ schema: 'https://evil.example/c.json', operations: [] }, 'authority_mismatch', 'error'],
    [{ version: '2026-01-23', operations: [] }, 'version_skew', 'error'],
    [{ spec: 'http://ucp.dev/cart', operations: [] }, 'spec_not_https', 'warning'],
    [{ version: '2026-02-31', operations: [] }, 'impossible_date', 'warning'],
  ])('finds %j: %s [UCP-114]', (entry, code, severity) => {
    const found = lintProfile(makeProfile({ [CART]: entry }), { documents: DOCUMENTS })
    const [first] = found.filter((finding) => finding.code === code)
    expect(first).toMatchObject({ severity })
    expect(first?.pointer).toMatch(/^\/ucp\/(capabilities|services)\/dev\.ucp\.shopping/)
  })

  it('finds an extension that declares operations [UCP-13]', () => {
    const profile = makeProfile({
      [CART]: { operations: ['create_cart', 'get_cart'] },
      [DISCOUNT]: { extends: CART, operations: ['create_cart'] },
    })
    expect(lintProfile(profile, { documents: DOCUMENTS })).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        code: 'extension_declares_operations',
        pointer: '/ucp/capabilities/dev.ucp.shopping.discount',
      }),
    )
  })

  it('finds an extension without a parent and a schema without its shape', () => {
    const url = 'https://ucp.dev/schemas/dev.ucp.shopping.discount.json'
    const schema = {
      $defs: { [CART]: {} },
      requires: { capabilities: { [CHECKOUT]: { min: VERSION } } },
    }
    const profile = makeProfile({
      [CART]: { operations: ['create_cart', 'get_cart'] },
      [DISCOUNT]: { extends: [CART, CHECKOUT] },
      'example.acme.lost': { extends: 'example.acme.gone' },
    })
    const codes = lintProfile(profile, { documents: { ...DOCUMENTS, [url]: schema } })
      .filter(({ severity }) => severity === 'error')
      .map(({ code, pointer }) => [code, pointer])
    expect(codes).toEqual([
      ['orphaned_extension', '/ucp/capabilities/example.acme.lost'],
      ['parent_shape_missing', '/ucp/capabilities/dev.ucp.shopping.discount/0/extends'],
      ['requires_unknown', '/ucp/capabilities/dev.ucp.shopping.discount/0/schema'],
    ])
  })

  it('finds core operations of checkout that are missing', () => {
    const profile = makeProfile({ [CHECKOUT]: { operations: ['create_checkout'] } })
    const missing = lintProfile(profile).filter(({ code }) => code === 'core_operation_missing')
    expect(missing).toHaveLength(4)
  })

  it('finds leaves that state another version or link further ones', () => {
    const profile = makeProfile(
      {},
      {
        supported_versions: {
          '2026-01-23': 'https://s.example/a',
          '2026-01-11': 'https://s.example/b',
        },
      },
    )
    const found = lintProfile(profile, {
      documents: {
        'https://s.example/a': { ucp: { version: VERSION } },
        'https://s.example/b': {
          ucp: {
            version: '2026-01-11',
            supported_versions: { '2025-01-01': 'https://s.example/c' },
          },
        },
      },
    })
    expect(found.map(({ code, pointer }) => [code, pointer])).toEqual(
      expect.arrayContaining([
        ['leaf_version_mismatch', '/ucp/supported_versions/2026-01-23'],
        ['leaf_has_supported_versions', '/ucp/supported_versions/2026-01-11'],
      ]),
    )
  })

  it.each([undefined, null, 7, 'x', [], {}, { ucp: 1 }, { ucp: { version: 'draft' } }])(
    'reports %j and does not throw',
    (profile) => {
      const found = lintProfile(profile)
      expect(found.some(({ severity }) => severity === 'error')).toBe(true)
    },
  )

  it('tells the side from the members', () => {
    expect(guessSide(makeProfile({}))).toBe('business')
    expect(guessSide(makeProfile({}, { services: {} }))).toBe('platform')
    expect(guessSide(makeProfile({}, { services: {}, supported_versions: {} }))).toBe('business')
    expect(
      guessSide({ ucp: { services: { 'a.b': { rest: { endpoint: 'https://x.example' } } } } }),
    ).toBe('business')
  })

  it.skipIf(!HAS_FIXTURES)('accepts the sample profiles of the protocol (needs ../shared)', () => {
    const business = readFixture('profiles/samples-a2a-business-2026-01-11.json')
    const errors = lintProfile(business).filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['endpoint_not_https', '/ucp/services/dev.ucp.shopping/0/endpoint'],
    ])
  })

  it.skipIf(!HAS_FIXTURES)(
    'accepts a full profile against the published documents (needs ../shared)',
    () => {
      const site = `https://ucp.dev/${VERSION}/schemas/shopping`
      const profile = makeProfile({
        [CART]: {
          schema: `${site}/cart.json`,
          operations: ['create_cart', 'get_cart', 'update_cart', 'cancel_cart'],
        },
        [DISCOUNT]: { schema: `${site}/discount.json`, extends: [CART] },
      })
      const found = lintProfile(profile, { documents: publishedDocuments(VERSION) })
      expect(found.filter(({ severity }) => severity !== 'info')).toEqual([])
    },
  )
})

describe('formatReport', () => {
  it('shows capabilities, reasons and operations in columns', () => {
    const report = negotiateReport({
      business: makeProfile({
        [CART]: { operations: ['get_cart', 'lost'] },
        [CHECKOUT]: { operations: [] },
        [DISCOUNT]: { extends: CART },
      }),
      platform: makeProfile({ [CART]: {}, [DISCOUNT]: { extends: CART } }),
      documents: DOCUMENTS,
    })
    expect(
      formatNegotiation(report),
    ).toBe(`The two parties can work together: protocol 2026-04-08, 2 of 3 capabilities active

CAPABILITY                 STATUS             OPERATIONS
dev.ucp.shopping.cart      active 2026-04-08  get_cart  GET /carts/{id}  mcp get_cart
dev.ucp.shopping.checkout  not active: the platform does not have it
dev.ucp.shopping.discount  active 2026-04-08  extends, owns none

Listed but not callable:
  lost of dev.ucp.shopping.cart: no document has it

Remarks:
  warning: dev.ucp.shopping.cart lost: no document has this operation (operation_not_found)
`)
  })

  it('says in words why nothing came of it', () => {
    const report = negotiateReport({ business: { ucp: { version: 1 } }, platform: makeProfile({}) })
    expect(formatNegotiation(report)).toContain('A profile cannot be used')
    expect(formatNegotiation(report)).toContain('/ucp/version')
  })

  it('names entries that were left out', () => {
    const both = makeProfile({ [CART]: { schema: 'https://evil.example/c.json' } })
    const input = { business: both, platform: both }
    const text = formatNegotiation(negotiateReport(input), negotiate(input).dropped)
    expect(text).toContain(
      'dev.ucp.shopping.cart 2026-04-08 of the platform: its schema is on a host',
    )
  })

  it('keeps control characters of strangers away from the terminal', () => {
    const report = negotiateReport({
      business: makeProfile({ [CART]: { operations: ['\u001b[31mred\u0007'] } }),
      platform: makeProfile({ [CART]: {} }),
      documents: DOCUMENTS,
    })
    expect(formatNegotiation(report).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })
})
