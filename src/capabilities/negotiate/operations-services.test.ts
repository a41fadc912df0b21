import { describe, expect, it } from 'vitest'
import { DOCUMENTS, resolve } from '../../../test/support/negotiation.ts'
import {
  CART,
  MCP_URL,
  makeProfile,
  ORDER,
  openApi,
  openRpc,
  REST_URL,
  SHOPPING,
  VERSION,
} from '../../../test/support/ucp.ts'
import { createDocumentIndex } from '../documents/index-document.ts'
import { negotiate } from './negotiate.ts'
import { resolveOperations } from './operations.ts'
import { type NegotiateReportInput, type NegotiationReport, negotiateReport } from './report.ts'

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
