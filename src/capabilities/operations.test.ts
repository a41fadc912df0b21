import { describe, expect, it } from 'vitest'
import {
  HAS_FIXTURES,
  type LooseEntry,
  MCP_URL,
  makeProfile,
  openApi,
  openRpc,
  publishedDocuments,
  REST_URL,
  readFixture,
  SHOPPING,
  VERSION,
} from '../../test/support/ucp.ts'
import { createBundledDocument } from './bundled.ts'
import { createDocumentIndex, indexDocument } from './document-index.ts'
import { FALLBACK_OPERATIONS, readFallback } from './fallback.ts'
import { negotiate } from './negotiate.ts'
import { resolveOperations } from './operations.ts'
import { type NegotiateReportInput, type NegotiationReport, negotiateReport } from './report.ts'

const CHECKOUT = 'dev.ucp.shopping.checkout'
const CART = 'dev.ucp.shopping.cart'
const ORDER = 'dev.ucp.shopping.order'
const FULFILLMENT = 'dev.ucp.shopping.fulfillment'
const SEARCH = 'dev.ucp.shopping.catalog.search'
const LOOKUP = 'dev.ucp.shopping.catalog.lookup'

const DOCUMENTS = {
  [REST_URL]: openApi({
    create_cart: 'POST /carts',
    get_cart: 'GET /carts/{id}',
    get_order: 'GET /orders/{id}',
    search_catalog: 'POST /catalog/search',
    get_product: 'POST /catalog/product',
    create_checkout: 'POST /checkout-sessions',
    get_checkout: 'GET /checkout-sessions/{id}',
  }),
  [MCP_URL]: openRpc(
    'create_cart',
    'get_cart',
    'get_order',
    'search_catalog',
    'get_product',
    'create_checkout',
    'get_checkout',
  ),
}

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

describe('services and transports', () => {
  it('never resolve methods of the embedded transport [UCP-87]', () => {
    const url = `https://ucp.dev/${VERSION}/services/shopping/embedded.openrpc.json`
    const services = {
      'dev.ucp.shopping': [
        ...(SHOPPING['dev.ucp.shopping'] ?? []),
        { version: VERSION, transport: 'embedded', schema: url },
      ],
    }
    const report = negotiateReport({
      business: makeProfile({ [CART]: { operations: ['ec.start', 'get_cart'] } }, { services }),
      platform: makeProfile({ [CART]: {} }),
      documents: { ...DOCUMENTS, [url]: openRpc('ec.start') },
      transports: ['rest', 'embedded', 'a2a'],
    })
    expect(report.operation_ids).toEqual(['get_cart'])
    expect(report.unresolved).toMatchObject([{ operation: 'ec.start' }])
  })

  it('never call webhooks [UCP-88]', () => {
    const rest = {
      ...openApi({ get_order: 'GET /orders/{id}' }),
      webhooks: { orderEvent: { post: { operationId: 'order_event' } } },
    }
    const report = resolve({ [ORDER]: { operations: ['get_order', 'order_event'] } }, undefined, {
      documents: { [REST_URL]: rest, [MCP_URL]: openRpc('get_order') },
    })
    expect(report.operation_ids).toEqual(['get_order'])
    expect(report.unresolved).toEqual([
      { operation: 'order_event', capability: ORDER, reason: 'webhook_only' },
    ])
    expect(report.diagnostics).toEqual([
      { code: 'operation_is_webhook', capability: ORDER, operation: 'order_event' },
    ])
  })

  it('keep equal identifiers of two services apart [UCP-89]', () => {
    const common = 'dev.ucp.common'
    const location = 'dev.ucp.common.location'
    const entry = (name: string): object[] => [
      {
        version: VERSION,
        transport: 'rest',
        schema: `https://ucp.dev/${name}`,
        endpoint: `https://${name}.example`,
      },
    ]
    const services = { ...SHOPPING, [common]: entry('common'), [location]: entry('location') }
    const capabilities = {
      [CART]: { operations: ['search'] },
      'dev.ucp.common.location.search': { operations: ['search'] },
      'dev.ucp.common.loyalty': { operations: ['search'] },
    }
    const profile = makeProfile(capabilities, { services })
    const search = (path: string): object => openApi({ search: `GET ${path}` })
    const documents = createDocumentIndex({
      [REST_URL]: search('/s'),
      'https://ucp.dev/common': search('/c'),
      'https://ucp.dev/location': search('/l'),
    })
    const set = resolveOperations(negotiate({ business: profile, platform: profile }), {
      documents,
      transports: ['rest'],
    })
    expect(set.operations.map(({ service, bindings }) => [service, bindings.rest?.path])).toEqual([
      [common, '/c'],
      [location, '/l'],
      ['dev.ucp.shopping', '/s'],
    ])
    expect(set.lookup('search')).toEqual({
      found: false,
      services: expect.arrayContaining([common, location, 'dev.ucp.shopping']),
    })
    expect(set.lookup('search', location)).toMatchObject({ found: true })
    expect(set.lookup('search', 'other')).toMatchObject({ found: false })
  })

  it('own a capability only where a label of its name ends [UCP-89]', () => {
    const services = { 'dev.ucp.shop': SHOPPING['dev.ucp.shopping'] }
    const profile = makeProfile({ [CART]: { operations: ['get_cart'] } }, { services })
    const report = negotiateReport({ business: profile, platform: profile, documents: DOCUMENTS })
    expect(report.unresolved).toMatchObject([{ reason: 'service_not_declared' }])
  })

  it('leave operations of a root without a service unresolved [UCP-90]', () => {
    const report = resolve({ 'example.acme.shop.x': { operations: ['get_cart', 'b'] } })
    expect(report.operations).toEqual([])
    expect(report.unresolved.map(({ reason }) => reason)).toEqual([
      'service_not_declared',
      'service_not_declared',
    ])
    expect(report.diagnostics).toEqual([
      { code: 'service_not_declared', capability: 'example.acme.shop.x' },
    ])
  })

  it('give no bindings for transports the caller does not speak [UCP-91]', () => {
    const over = (
      ...transports: NegotiateReportInput['transports'] & string[]
    ): NegotiationReport =>
      resolve({ [CART]: { operations: ['get_cart'] } }, undefined, { transports })
    expect(over('mcp').operations[0]?.bindings).not.toHaveProperty('rest')
    const none = over('a2a')
    expect(none.unresolved).toEqual([
      { operation: 'get_cart', capability: CART, reason: 'no_common_transport' },
    ])
    expect(none.diagnostics).toEqual([{ code: 'no_common_transport', capability: CART }])
  })

  it('take the document address from the platform, then the bundled copy [UCP-92]', () => {
    const bare = {
      'dev.ucp.shopping': [{ version: VERSION, transport: 'rest', endpoint: 'https://s.example' }],
    }
    const own = { 'dev.ucp.shopping': [{ version: VERSION, transport: 'rest', schema: REST_URL }] }
    const run = (services: object): NegotiationReport =>
      negotiateReport({
        business: makeProfile(
          { [CART]: { operations: ['get_cart', 'cancel_cart'] } },
          { services: bare },
        ),
        platform: makeProfile({ [CART]: {} }, { services }),
        documents: DOCUMENTS,
      })
    const fromPlatform = run(own)
    expect(fromPlatform.operation_ids).toEqual(['get_cart'])
    expect(fromPlatform.diagnostics).toContainEqual({
      code: 'service_schema_from_platform',
      service: 'dev.ucp.shopping',
      transport: 'rest',
    })
    const bundled = run({})
    expect(bundled.operation_ids).toEqual(['cancel_cart', 'get_cart'])
    expect(bundled.diagnostics).toEqual([
      { code: 'service_schema_bundled', service: 'dev.ucp.shopping', transport: 'rest' },
    ])
  })

  it('drop an entry whose document a foreign host has, and ask for nothing [UCP-93]', () => {
    const asked: string[] = []
    const [rest, mcp] = SHOPPING['dev.ucp.shopping'] ?? []
    const services = {
      'dev.ucp.shopping': [rest, { ...mcp, schema: 'https://evil.example/m.json' }],
    }
    const profile = makeProfile({ [CART]: { operations: ['get_cart'] } }, { services })
    const index = createDocumentIndex({
      ...DOCUMENTS,
      'https://evil.example/m.json': openRpc('get_cart'),
    })
    const negotiation = negotiate({ business: profile, platform: profile })
    const set = resolveOperations(negotiation, {
      documents: {
        ...index,
        transport: (url, transport) => {
          asked.push(url)
          return index.transport(url, transport)
        },
      },
    })
    expect(asked).toEqual([REST_URL])
    expect(set.operations[0]?.bindings).not.toHaveProperty('mcp')
    expect(set.diagnostics).toEqual([
      { code: 'service_authority_mismatch', service: 'dev.ucp.shopping', transport: 'mcp' },
    ])
  })

  it.each([
    ['missing', undefined],
    ['no document', 'text'],
    ['of another kind', openApi({})],
    ['neither kind', { swagger: '2.0' }],
  ])('lose one transport when its document is %s [UCP-94]', (_case, document) => {
    const report = resolve({ [CART]: { operations: ['get_cart'] } }, undefined, {
      documents: { ...DOCUMENTS, [MCP_URL]: document },
    })
    expect(Object.keys(report.operations[0]?.bindings ?? {})).toEqual(['rest'])
    expect(report.diagnostics).toEqual([
      { code: 'document_unavailable', service: 'dev.ucp.shopping', transport: 'mcp' },
    ])
  })

  it('say that no document was available when none was [UCP-94]', () => {
    const report = resolve({ [CART]: { operations: ['get_cart'] } }, undefined, { documents: {} })
    expect(report.unresolved).toEqual([
      { operation: 'get_cart', capability: CART, reason: 'document_unavailable' },
    ])
  })

  it('give no binding to an identifier that a document has twice [UCP-95]', () => {
    const twice = {
      openapi: '3.1.0',
      paths: {
        '/a': { get: { operationId: 'get_cart' } },
        '/b': { get: { operationId: 'get_cart' }, post: { operationId: 'get_cart' } },
        '/c': { post: { operationId: 'create_cart' } },
      },
    }
    const report = resolve({ [CART]: { operations: ['get_cart', 'create_cart'] } }, undefined, {
      documents: { [REST_URL]: twice },
      transports: ['rest'],
    })
    expect(report.operation_ids).toEqual(['create_cart'])
    expect(report.diagnostics).toEqual([
      {
        code: 'duplicate_operation_id',
        operation: 'get_cart',
        service: 'dev.ucp.shopping',
        transport: 'rest',
      },
      { code: 'operation_not_found', capability: CART, operation: 'get_cart' },
    ])
  })

  it('skip version-skewed entries of a service under the newest rules [UCP-47]', () => {
    const [rest, mcp] = SHOPPING['dev.ucp.shopping'] ?? []
    const services = { 'dev.ucp.shopping': [{ ...rest, version: '2026-01-23' }, mcp] }
    const profile = makeProfile({ [CART]: { operations: ['get_cart'] } }, { services })
    const input = { business: profile, platform: profile, documents: DOCUMENTS }
    expect(Object.keys(negotiateReport(input).operations[0]?.bindings ?? {})).toEqual(['mcp'])
    const older = negotiateReport({ ...input, rules: '2026-04-08' })
    expect(Object.keys(older.operations[0]?.bindings ?? {})).toEqual(['rest', 'mcp'])
  })

  it('append paths to the endpoint with or without a slash at its end [UCP-103]', () => {
    for (const endpoint of ['https://s.example/v1', 'https://s.example/v1/']) {
      const services = {
        'dev.ucp.shopping': [{ version: VERSION, transport: 'rest', schema: REST_URL, endpoint }],
      }
      const profile = makeProfile({ [CART]: { operations: ['get_cart'] } }, { services })
      const report = negotiateReport({ business: profile, platform: profile, documents: DOCUMENTS })
      expect(report.operations[0]?.bindings.rest?.url).toBe('https://s.example/v1/carts/{id}')
    }
  })
})

describe('indexing documents', () => {
  it('takes only HTTP verbs of a path item for operations [UCP-96]', () => {
    const document = indexDocument(
      {
        openapi: '3.0.3',
        paths: {
          '/a': {
            parameters: [{ operationId: 'no' }],
            summary: { operationId: 'no' },
            servers: { operationId: 'no' },
            'x-extra': { operationId: 'no' },
            query: { operationId: 'no' },
            get: { operationId: 'yes' },
            post: {},
            put: { operationId: '' },
            patch: null,
          },
          '/b': { $ref: '#/components/pathItems/b' },
          '/c': { $ref: 'other.json#/c' },
        },
        components: { pathItems: { b: { trace: { operationId: 'referenced' } } } },
      },
      'https://a.example/d.json',
    )
    expect([...(document?.operations.keys() ?? [])]).toEqual(['yes', 'referenced'])
    expect(document?.remarks).toEqual([{ code: 'external_reference' }])
  })

  it('skips methods that stand in other files, and does not fall over them [UCP-97]', () => {
    const document = indexDocument(
      {
        openrpc: '1.3.2',
        methods: [
          { $ref: 'fulfillment.json#/$defs/methods/x' },
          { $ref: '#/components/methods/loop' },
          { name: 'here' },
          { name: 7 },
          null,
        ],
        components: { methods: { loop: { $ref: '#/components/methods/loop' } } },
      },
      'https://a.example/d.json',
    )
    expect([...(document?.operations.keys() ?? [])]).toEqual(['here'])
    expect(document?.remarks).toEqual([
      { code: 'external_reference' },
      { code: 'external_reference' },
    ])
  })

  it.each([
    'carts',
    '//evil.example/x',
    '/a//b',
    '/../admin',
    '/a/%2e%2E/b',
    '/a?x=1',
    '/a\\b',
    '/a b',
  ])('skips the path %s', (path) => {
    const document = indexDocument(
      { openapi: '3.1.0', paths: { [path]: { get: { operationId: 'x' } } } },
      'https://a.example/d.json',
    )
    expect(document?.operations.size).toBe(0)
    expect(document?.remarks).toEqual([{ code: 'unsafe_path', operation: 'x' }])
  })

  it('stops at a number of operations no real document has', () => {
    const methods = Array.from({ length: 10_001 }, (_, index) => ({ name: `m${index}` }))
    const document = indexDocument({ openrpc: '1.3.2', methods }, 'https://a.example/d.json')
    expect(document?.operations.size).toBe(10_000)
    expect(document?.remarks).toEqual([{ code: 'document_too_large' }])
  })

  it.each([undefined, null, 7, [], {}, { openapi: 3 }, { openapi: '2.0' }, { openrpc: 1 }])(
    'does not take %j for a document',
    (document) => {
      expect(indexDocument(document, 'https://a.example/d.json')).toBeUndefined()
    },
  )
})

describe.skipIf(!HAS_FIXTURES)('the published documents (need ../shared)', () => {
  const REST_NAMES = {
    '2026-01-11': 'openapi',
    '2026-01-23': 'openapi',
    '2026-04-08': 'rest.openapi',
  }
  const MCP_NAMES = {
    '2026-01-11': 'openrpc',
    '2026-01-23': 'openrpc',
    '2026-04-08': 'mcp.openrpc',
  }
  const versions = Object.keys(REST_NAMES) as readonly (keyof typeof REST_NAMES)[]

  it('of 2026-04-08 index to thirteen operations on both transports and one webhook [UCP-98]', () => {
    const documents = publishedDocuments(VERSION)
    const rest = indexDocument(documents[REST_URL], REST_URL)
    const mcp = indexDocument(documents[MCP_URL], MCP_URL)
    expect(rest?.operations.size).toBe(13)
    expect([...(mcp?.operations.keys() ?? [])].sort()).toEqual(
      [...(rest?.operations.keys() ?? [])].sort(),
    )
    expect([...(rest?.webhooks ?? [])]).toEqual(['order_event_webhook'])
    expect([...(rest?.remarks ?? []), ...(mcp?.remarks ?? [])]).toEqual([])
  })

  it('of 2026-04-08 resolve all thirteen operations through the table on both transports [UCP-98]', () => {
    const capabilities = Object.fromEntries(
      Object.keys(FALLBACK_OPERATIONS).map((name) => [name, { schema: undefined }]),
    )
    const profile = makeProfile(capabilities)
    const report = negotiateReport({
      business: profile,
      platform: profile,
      documents: publishedDocuments(VERSION),
    })
    expect(report.operations).toHaveLength(13)
    for (const { bindings } of report.operations) expect(Object.keys(bindings)).toHaveLength(2)
    expect(report.unresolved).toEqual([])
  })

  it.each([...versions, 'source'] as const)(
    'of %s give by inference what the table says [UCP-99]',
    (version) => {
      const folder = version === 'source' ? 'source' : `published/${version}`
      const site = version === 'source' ? 'https://ucp.dev' : `https://ucp.dev/${version}`
      const names =
        version === 'source'
          ? ['rest.openapi', 'mcp.openrpc']
          : [REST_NAMES[version], MCP_NAMES[version]]
      for (const name of names) {
        const path = `services/shopping/${name}.json`
        const document = indexDocument(readFixture(`${folder}/${path}`), `${site}/${path}`)
        const known = new Set(document?.operations.keys())
        for (const [capability, listed] of Object.entries(FALLBACK_OPERATIONS)) {
          const [, , area = '', ...rest] = capability.split('.')
          const schema = `${site}/schemas/${area}/${rest.join('_')}.json`
          const inferred = [...(document?.citing.get(schema) ?? [])].sort()
          expect(inferred, `${path} ${capability}`).toEqual(
            listed.filter((id) => known.has(id)).sort(),
          )
        }
      }
    },
  )

  it.each(versions)('of %s agree with the bundled copy', (version) => {
    for (const [transport, name] of [
      ['rest', REST_NAMES[version]],
      ['mcp', MCP_NAMES[version]],
    ] as const) {
      const path = `services/shopping/${name}.json`
      const published = indexDocument(readFixture(`published/${version}/${path}`), 'x:p')
      const bundled = indexDocument(
        createBundledDocument('dev.ucp.shopping', transport, version),
        'x:b',
      )
      expect(summary(bundled)).toEqual(summary(published))
    }
  })

  it('index the embedded document although methods stand elsewhere [UCP-97]', () => {
    const path = 'published/2026-04-08/services/shopping/embedded.openrpc.json'
    const document = indexDocument(readFixture(path), 'https://ucp.dev/e.json')
    expect(document?.operations.has('ec.start')).toBe(true)
  })
})

function summary(document: ReturnType<typeof indexDocument>): unknown {
  const operations = [...(document?.operations.values() ?? [])].map((operation) =>
    'path' in operation
      ? [operation.id, operation.method, operation.path, operation.requestBody() !== undefined]
      : [
          operation.id,
          operation
            .params()
            .map(({ name }) => name)
            .filter((name) => name !== 'meta'),
        ],
  )
  const citing = [...(document?.citing ?? [])].filter(([file]) => !file.includes('/types/'))
  return {
    operations: operations.sort(),
    citing: citing.map(([file, ids]) => [file, [...ids].sort()]).sort(),
    webhooks: [...(document?.webhooks ?? [])],
  }
}

function resolve(
  business: Record<string, LooseEntry>,
  platform: Record<string, LooseEntry> = without(business),
  options: Partial<NegotiateReportInput> = {},
): NegotiationReport {
  return negotiateReport({
    business: makeProfile(business),
    platform: makeProfile(platform),
    documents: DOCUMENTS,
    ...options,
  })
}

function without(business: Record<string, LooseEntry>): Record<string, LooseEntry> {
  return Object.fromEntries(
    Object.entries(business).map(([name, { operations: _operations, ...entry }]) => [name, entry]),
  )
}

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
