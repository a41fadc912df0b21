import { describe, expect, it } from 'vitest'
import { DOCUMENTS, resolve } from '../../../test/support/negotiation.ts'
import {
  CART,
  CHECKOUT,
  FULFILLMENT,
  LOOKUP,
  type LooseEntry,
  MCP_URL,
  makeProfile,
  ORDER,
  openApi,
  openRpc,
  REST_URL,
  SEARCH,
  VERSION,
} from '../../../test/support/ucp.ts'
import { FALLBACK_OPERATIONS, readFallback } from './operations.ts'
import { type NegotiationReport, negotiateReport } from './report.ts'

describe('declared operations', () => {
  it('come from active roots of the business only [UCP-70]', () => {
    const report = resolve(
      { [CART]: { operations: ['get_cart'] }, [ORDER]: { operations: ['get_order'] } },
      { [CART]: {} },
    )
    expect(report.operation_ids).toEqual(['get_cart'])
  })

  it('come from the business; the list of the platform has no effect [UCP-71]', () => {
    const list = (...operations: string[]): Record<string, LooseEntry> => ({
      [CART]: { operations },
    })
    const report = resolve(list('get_cart'), list('create_cart'))
    expect(report.operation_ids).toEqual(['get_cart'])
  })

  it('come from the entry of the selected version [UCP-72]', () => {
    const name = 'dev.ucp.shopping.cart'
    const report = negotiateReport({
      business: makeProfile({
        [name]: [
          { version: '2026-01-23', operations: ['create_cart'] },
          { version: VERSION, operations: ['get_cart'] },
        ],
      }),
      platform: makeProfile({ [name]: { version: '2026-01-23' } }),
      documents: DOCUMENTS,
      rules: '2026-04-08',
    })
    expect(report.operation_ids).toEqual(['create_cart'])
  })

  it('are bound to verb, path and URL over REST and to a tool over MCP [UCP-73] [UCP-74]', () => {
    const report = resolve({ [CART]: { operations: ['get_cart'] } })
    expect(report.operations).toEqual([
      {
        id: 'get_cart',
        service: 'dev.ucp.shopping',
        capabilities: [CART],
        bindings: {
          rest: { method: 'GET', path: '/carts/{id}', url: 'https://shop.example/v1/carts/{id}' },
          mcp: { tool: 'get_cart', endpoint: 'https://shop.example/mcp' },
        },
      },
    ])
  })

  it('of an extension are ignored and reported, and the extension stays [UCP-75] [UCP-76]', () => {
    const report = resolve({
      [CHECKOUT]: { operations: ['create_checkout'] },
      [FULFILLMENT]: { extends: CHECKOUT, operations: ['get_order', 'set_fulfillment'] },
    })
    expect(report.operation_ids).toEqual(['create_checkout'])
    expect(Object.keys(report.active)).toEqual([CHECKOUT, FULFILLMENT])
    expect(report.source[FULFILLMENT]).toBe('extension')
    expect(report.diagnostics).toEqual([
      { code: 'extension_declares_operations', capability: FULFILLMENT },
    ])
  })

  it('are never widened by document, table or inference [UCP-77]', () => {
    const report = resolve({ [CHECKOUT]: { operations: ['get_checkout'] } })
    expect(report.operation_ids).toEqual(['get_checkout'])
    expect(report.diagnostics).toEqual([])
  })

  it('that no document has are left out, exactly as written [UCP-78] [UCP-79]', () => {
    const listed = ['create_cart', 'createCart', 'CREATE_CART', ' create_cart', 'transfer_cart']
    const report = resolve({ [CART]: { operations: listed } })
    expect(report.operation_ids).toEqual(['create_cart'])
    expect(report.unresolved).toEqual(
      listed.slice(1).map((operation) => ({
        operation,
        capability: CART,
        reason: 'operation_not_found',
      })),
    )
    expect(report.diagnostics).toEqual(
      listed.slice(1).map((operation) => ({
        code: 'operation_not_found',
        capability: CART,
        operation,
      })),
    )
  })

  it('present on one transport are available there only [UCP-80]', () => {
    const documents = {
      [REST_URL]: openApi({ create_cart: 'POST /carts' }),
      [MCP_URL]: openRpc('get_cart'),
    }
    const report = resolve({ [CART]: { operations: ['create_cart', 'get_cart'] } }, undefined, {
      documents,
    })
    expect(report.operations.map(({ id, bindings }) => [id, Object.keys(bindings)])).toEqual([
      ['create_cart', ['rest']],
      ['get_cart', ['mcp']],
    ])
    expect(report.diagnostics).toEqual([
      {
        code: 'operation_not_in_transport',
        capability: CART,
        operation: 'create_cart',
        transport: 'mcp',
      },
      {
        code: 'operation_not_in_transport',
        capability: CART,
        operation: 'get_cart',
        transport: 'rest',
      },
    ])
  })

  it('listed twice appear once, reported once per repeat [UCP-81]', () => {
    const report = resolve({ [CART]: { operations: ['get_cart', 'get_cart', 'get_cart'] } })
    expect(report.operations).toHaveLength(1)
    const remark = { code: 'duplicate_operation', capability: CART, operation: 'get_cart' }
    expect(report.diagnostics).toEqual([remark, remark])
  })

  it('of two owners are one entry that lives while one owner does [UCP-82]', () => {
    const business = {
      [SEARCH]: { operations: ['search_catalog', 'get_product'] },
      [LOOKUP]: { operations: ['get_product'] },
    }
    const shared = resolve(business)
    expect(shared.operations.find(({ id }) => id === 'get_product')?.capabilities).toEqual([
      LOOKUP,
      SEARCH,
    ])
    expect(shared.diagnostics).toEqual([
      { code: 'operation_shared', capability: SEARCH, operation: 'get_product' },
    ])
    const alone = resolve(business, { [LOOKUP]: {} })
    expect(alone.operation_ids).toEqual(['get_product'])
    expect(alone.diagnostics).toEqual([])
  })

  it.each([['text'], [7], [{}], [['']], [[1]], [null]])(
    'of the wrong type %j are reported and treated as absent [UCP-12]',
    (operations) => {
      const report = resolve({ [ORDER]: { operations } })
      expect(report.source[ORDER]).toBe('fallback')
      expect(report.operation_ids).toEqual(['get_order'])
      expect(report.diagnostics).toEqual([
        { code: 'operations_malformed', capability: ORDER },
        { code: 'operations_fallback', capability: ORDER },
      ])
    },
  )

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'named %s are ordinary unknown strings [UCP-105]',
    (operation) => {
      const report = resolve({ [CART]: { operations: [operation] } })
      expect(report.operations).toEqual([])
      expect(report.unresolved).toEqual([
        { operation, capability: CART, reason: 'operation_not_found' },
      ])
    },
  )
})

describe('operations that are not declared', () => {
  it('come from the table, filtered by the documents [UCP-83]', () => {
    const report = resolve({ [CHECKOUT]: {} })
    expect(report.source).toEqual({ [CHECKOUT]: 'fallback' })
    expect(report.operation_ids).toEqual(['create_checkout', 'get_checkout'])
    expect(report.unresolved.map(({ operation }) => operation)).toEqual([
      'update_checkout',
      'complete_checkout',
      'cancel_checkout',
    ])
  })

  it('come from the documents when they cite the schema of the capability [UCP-84]', () => {
    const schema = 'https://acme.example/schemas/example.acme.shop.wishlist.json'
    const cites = (target: string): object => ({
      responses: { 200: { content: { 'application/json': { schema: { $ref: target } } } } },
    })
    const rest = {
      openapi: '3.1.0',
      paths: {
        '/lists/{id}': { get: { operationId: 'get_list', ...cites(`${schema}#/$defs/list`) } },
        '/lists': {
          post: {
            operationId: 'add_list',
            responses: { 201: { $ref: '#/components/responses/one' } },
          },
          get: { operationId: 'all_lists', ...cites('wishlist.json') },
        },
        '/other': { get: { operationId: 'other', ...cites('https://acme.example/other.json') } },
      },
      components: {
        responses: {
          one: { content: { 'application/json': { schema: { $ref: '#/components/schemas/w' } } } },
        },
        schemas: {
          w: { oneOf: [{ allOf: [{ $ref: schema }] }, { $ref: '#/components/schemas/w' }] },
        },
      },
    }
    const report = vendor({ rest })
    expect(report.source).toEqual({ 'example.acme.shop.wishlist': 'inferred' })
    expect(report.operation_ids).toEqual(['add_list', 'get_list'])
    expect(report.diagnostics).toEqual([
      { code: 'operations_inferred', capability: 'example.acme.shop.wishlist' },
    ])
  })

  it('are unknown otherwise, and the capability stays [UCP-85]', () => {
    const report = vendor({ rest: openApi({ get_list: 'GET /lists' }) })
    expect(report.outcome).toBe('ok')
    expect(report.source).toEqual({ 'example.acme.shop.wishlist': 'unknown' })
    expect(report.operations).toEqual([])
    expect(report.diagnostics).toEqual([
      { code: 'operations_unknown', capability: 'example.acme.shop.wishlist' },
    ])
  })

  it('are none when the list is empty, without fallback [UCP-86]', () => {
    const report = resolve({ [CHECKOUT]: { operations: [] } })
    expect(report).toMatchObject({
      operations: [],
      unresolved: [],
      diagnostics: [],
      source: { [CHECKOUT]: 'declared' },
    })
  })

  it('follow a table of the caller, or none', () => {
    const mine = resolve({ [CART]: {} }, undefined, { fallback: { [CART]: ['get_cart'] } })
    expect(mine.operation_ids).toEqual(['get_cart'])
    const none = resolve({ [CART]: {} }, undefined, { fallback: false })
    expect(none.source).toEqual({ [CART]: 'unknown' })
  })
})

describe('readFallback', () => {
  it.each([[false], [{}], [{ [CART]: ['get_cart'] }], [FALLBACK_OPERATIONS]])(
    'accepts %j',
    (table) => {
      expect(readFallback(table)).toBe(table)
    },
  )

  it.each([
    [7, 'must be an object'],
    [[], 'must be an object'],
    [{ nope: [] }, 'nope: is not a capability name'],
    [{ [CART]: 'get_cart' }, `${CART}: must be an array`],
    [{ [CART]: [1] }, `${CART}: must be an array`],
  ])('says what is wrong with %j', (table, message) => {
    expect(readFallback(table)).toContain(message)
  })
})

function vendor({ rest }: { rest: unknown }): NegotiationReport {
  const url = 'https://acme.example/services/rest.json'
  const services = {
    'example.acme.shop': [
      { version: '2026-03-01', transport: 'rest', schema: url, endpoint: 'https://s.example/acme' },
    ],
  }
  const profile = makeProfile({ 'example.acme.shop.wishlist': {} }, { services })
  return negotiateReport({ business: profile, platform: profile, documents: { [url]: rest } })
}
