import { describe, expect, it } from 'vitest'
import {
  HAS_FIXTURES,
  MCP_URL,
  makeProfile,
  publishedDocuments,
  REST_URL,
  readFixture,
  VERSION,
} from '../../../test/support/ucp.ts'
import { FALLBACK_OPERATIONS } from '../negotiate/operations.ts'
import { negotiateReport } from '../negotiate/report.ts'
import { createBundledDocument, indexDocument } from './index-document.ts'

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
