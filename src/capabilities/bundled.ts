import type { CallableTransport } from './model.ts'

/*
 * The operations the protocol itself publishes for `dev.ucp.shopping` (Apache-2.0, Universal Commerce
 * Protocol): used only when neither party says where the transport document is.
 * A test compares this table with the published documents.
 */

type Row = readonly [id: string, verb: string, path: string, schema: string, payload?: string]

const CHECKOUT: readonly Row[] = [
  ['create_checkout', 'post', '/checkout-sessions', 'checkout.json', 'checkout'],
  ['get_checkout', 'get', '/checkout-sessions/{id}', 'checkout.json'],
  ['update_checkout', 'put', '/checkout-sessions/{id}', 'checkout.json', 'checkout'],
  ['complete_checkout', 'post', '/checkout-sessions/{id}/complete', 'checkout.json', 'checkout'],
  ['cancel_checkout', 'post', '/checkout-sessions/{id}/cancel', 'checkout.json'],
]

const CATALOG_AND_ORDER: readonly Row[] = [
  ['create_cart', 'post', '/carts', 'cart.json', 'cart'],
  ['get_cart', 'get', '/carts/{id}', 'cart.json'],
  ['update_cart', 'put', '/carts/{id}', 'cart.json', 'cart'],
  ['cancel_cart', 'post', '/carts/{id}/cancel', 'cart.json'],
  ['search_catalog', 'post', '/catalog/search', 'catalog_search.json', 'catalog'],
  ['lookup_catalog', 'post', '/catalog/lookup', 'catalog_lookup.json', 'catalog'],
  ['get_product', 'post', '/catalog/product', 'catalog_lookup.json', 'catalog'],
  ['get_order', 'get', '/orders/{id}', 'order.json'],
]

const ROWS_BY_VERSION: ReadonlyMap<string, readonly Row[]> = new Map([
  ['2026-01-11', CHECKOUT],
  ['2026-01-23', CHECKOUT],
  ['2026-04-08', [...CHECKOUT, ...CATALOG_AND_ORDER]],
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
  for (const [operationId, verb, path, schema, payload] of rows) {
    const content = { 'application/json': { schema: { $ref: toUrl(version, schema) } } }
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

function toMethod([name, , path, schema, payload]: Row, version: string): unknown {
  return {
    name,
    params: [
      { name: 'meta', required: true, schema: { type: 'object' } },
      ...(path.includes('{id}')
        ? [{ name: 'id', required: true, schema: { type: 'string' } }]
        : []),
      ...(payload !== undefined
        ? [{ name: payload, required: true, schema: { type: 'object' } }]
        : []),
    ],
    result: { name: 'result', schema: { $ref: toUrl(version, schema) } },
  }
}

const ID_IN_PATH = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

const ANY_OBJECT = { 'application/json': { schema: { type: 'object' } } }

function toUrl(version: string, schema: string): string {
  return `https://ucp.dev/${version}/schemas/shopping/${schema}`
}
