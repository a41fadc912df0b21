import { toReference } from '../../schema/walk/index.ts'
import { isRecord } from '../../values/index.ts'
import type { CallableTransport } from '../model.ts'
import { indexOpenApi, indexOpenRpc, type TransportDocument } from './transport.ts'

/*
 * The operations the protocol itself publishes for `dev.ucp.shopping` (Apache-2.0, Universal Commerce
 * Protocol): used only when neither party says where the transport document is.
 * A test compares this table with the published documents.
 */

interface Row {
  readonly id: string
  readonly verb: string
  readonly path: string
  readonly schema: string
  /** What the payload is called over MCP; absent when there is none. */
  readonly payload?: string
  /** January's tools took the idempotency key as a parameter. */
  readonly keyed?: boolean
}

const CREATE = row('create_checkout', 'post', '/checkout-sessions', 'checkout.json', 'checkout')
const GET = row('get_checkout', 'get', '/checkout-sessions/{id}', 'checkout.json')
const UPDATE = row('update_checkout', 'put', '/checkout-sessions/{id}', 'checkout.json', 'checkout')
const COMPLETE = row(
  'complete_checkout',
  'post',
  '/checkout-sessions/{id}/complete',
  'checkout.json',
  'checkout',
)
const CANCEL = row('cancel_checkout', 'post', '/checkout-sessions/{id}/cancel', 'checkout.json')

const CHECKOUT: readonly Row[] = [CREATE, GET, UPDATE]

const CATALOG_AND_ORDER: readonly Row[] = [
  row('create_cart', 'post', '/carts', 'cart.json', 'cart'),
  row('get_cart', 'get', '/carts/{id}', 'cart.json'),
  row('update_cart', 'put', '/carts/{id}', 'cart.json', 'cart'),
  row('cancel_cart', 'post', '/carts/{id}/cancel', 'cart.json'),
  row('search_catalog', 'post', '/catalog/search', 'catalog_search.json', 'catalog'),
  row('lookup_catalog', 'post', '/catalog/lookup', 'catalog_lookup.json', 'catalog'),
  row('get_product', 'post', '/catalog/product', 'catalog_lookup.json', 'catalog'),
  row('get_order', 'get', '/orders/{id}', 'order.json'),
]

const ROWS_BY_VERSION: ReadonlyMap<string, readonly Row[]> = new Map([
  [
    '2026-01-11',
    [...CHECKOUT, { ...COMPLETE, payload: 'payment', keyed: true }, { ...CANCEL, keyed: true }],
  ],
  ['2026-01-23', [...CHECKOUT, { ...COMPLETE, keyed: true }, CANCEL]],
  ['2026-04-08', [...CHECKOUT, COMPLETE, CANCEL, ...CATALOG_AND_ORDER]],
])

/** Builds the transport document of a published service in its shortest form; undefined when none is known. */
export function createBundledDocument(
  service: string,
  transport: CallableTransport,
  version: string,
): Record<string, unknown> | undefined {
  const rows = service === 'dev.ucp.shopping' ? ROWS_BY_VERSION.get(version) : undefined
  if (rows === undefined) return undefined
  const info = { title: 'UCP Shopping Service', version }
  if (transport === 'rest') return { openapi: '3.1.0', info, ...toPaths(rows, version) }
  return { openrpc: '1.3.2', info, methods: rows.map((row) => toMethod(row, version)) }
}

function toPaths(rows: readonly Row[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { id: operationId, verb, path, schema, payload } of rows) {
    const content = { 'application/json': { schema: toReference(toUrl(version, schema)) } }
    const item = paths[path] ?? (path.includes('{id}') ? { parameters: [ID_IN_PATH] } : {})
    item[verb] = {
      operationId,
      ...(payload !== undefined && { requestBody: { required: true, content: ANY_OBJECT } }),
      responses: { default: { description: 'The answer', content } },
    }
    paths[path] = item
  }
  const webhook = { operationId: 'order_event_webhook', responses: {} }
  return { paths, webhooks: { orderEvent: { post: webhook } } }
}

function toMethod({ id, path, schema, payload, keyed }: Row, version: string): unknown {
  const param = (name: string, type: string): unknown => ({
    name,
    required: true,
    schema: { type },
  })
  return {
    name: id,
    params: [
      ...(version < '2026-01-23' ? [] : [param('meta', 'object')]),
      ...(path.includes('{id}') ? [param('id', 'string')] : []),
      ...(payload !== undefined ? [param(payload, 'object')] : []),
      ...(keyed ? [param('idempotency_key', 'string')] : []),
    ],
    result: { name: 'result', schema: toReference(toUrl(version, schema)) },
  }
}

const ID_IN_PATH = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const ANY_OBJECT = { 'application/json': { schema: { type: 'object' } } }

function toUrl(version: string, schema: string): string {
  return `https://ucp.dev/${version}/schemas/shopping/${schema}`
}

function row(id: string, verb: string, path: string, schema: string, payload?: string): Row {
  return { id, verb, path, schema, ...(payload !== undefined && { payload }) }
}

/** All documents at hand, indexed once. */
export interface DocumentIndex {
  /** The document as it was handed in; undefined when it is not at hand. */
  readonly find: (url: string) => unknown
  /** The transport document at a URL; undefined when missing or of another kind. */
  readonly transport: (url: string, transport: CallableTransport) => TransportDocument | undefined
  /** The copy that ships with Waymark, for services of the protocol itself. */
  readonly bundled: (
    service: string,
    transport: CallableTransport,
    version: string,
  ) => TransportDocument | undefined
}

/** Indexes documents by URL: transport documents by operation, everything else as it is. */
export function createDocumentIndex(
  documents: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown> = {},
): DocumentIndex {
  const raw = new Map<string, unknown>(
    documents instanceof Map ? documents : Object.entries(documents),
  )
  const indexed = new Map<string, TransportDocument>()
  for (const [url, document] of raw) {
    const entry = indexDocument(document, url)
    if (entry !== undefined) indexed.set(url, entry)
  }
  const bundles = new Map<string, TransportDocument | undefined>()
  return {
    find: (url) => raw.get(url),
    transport: (url, transport) => {
      const entry = indexed.get(url)
      return entry?.transport === transport ? entry : undefined
    },
    bundled: (service, transport, version) => {
      const url = `bundled:${service}/${transport}/${version}`
      if (!bundles.has(url)) {
        bundles.set(url, indexDocument(createBundledDocument(service, transport, version), url))
      }
      return bundles.get(url)
    },
  }
}

/** Indexes one transport document; undefined when it is neither OpenAPI 3 nor OpenRPC. */
export function indexDocument(document: unknown, url: string): TransportDocument | undefined {
  if (!isRecord(document)) return undefined
  const { openapi, openrpc } = document
  if (typeof openapi === 'string' && openapi.startsWith('3.')) return indexOpenApi(document, url)
  return typeof openrpc === 'string' ? indexOpenRpc(document, url) : undefined
}
