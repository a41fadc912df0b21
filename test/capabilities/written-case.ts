import { MCP_URL as MCP, openApi, openRpc, REST_URL as REST, VERSION as V } from '../support/ucp.ts'

/** The words of the cases that other tests use as well, under names short enough for a table. */
export {
  CART as ca,
  CHECKOUT as co,
  DISCOUNT as di,
  FULFILLMENT as fu,
  LOOKUP as lookup,
  MCP_URL as MCP,
  ORDER as od,
  openApi,
  openRpc,
  REST_URL as REST,
  SEARCH as search,
  VERSION as V,
} from '../support/ucp.ts'

/** One negotiation case written from the reference, in the words of `shared/fixtures/ucp/cases.json`. */
export interface WrittenCase {
  readonly name: string
  readonly business: unknown
  readonly platform: unknown
  readonly documents?: Documents
  readonly transports?: string
  readonly rules?: string
  readonly fallback?: unknown
  readonly expected: Record<string, unknown>
}

type Members = Readonly<Record<string, unknown>>
type Documents = Readonly<Record<string, unknown>>
type Operation = { readonly id: string; readonly service: string } & Members

/** The version of vendor entries. */
export const ACME = '2026-03-01'

/** An older protocol version. */
export const OLD = '2026-01-23'

export const linking = 'dev.ucp.common.identity_linking'
export const shopping = 'dev.ucp.shopping'
export const acmeService = 'example.acme.shopping'

/** Names a capability of the vendor. */
export function acme(name: string): string {
  return `${acmeService}.${name}`
}

/** The capability of the vendor that most cases use. */
export const wishlist: string = acme('wishlist')

export const ACME_REST = 'https://acme.example/ucp/services/shopping/rest.openapi.json'
export const ENDPOINT = 'https://shop.example/ucp/v1'
export const MCP_ENDPOINT = 'https://shop.example/ucp/mcp'
export const ACME_ENDPOINT = 'https://shop.example/acme'

/** Verb and path of the operations that the documents of the cases have. */
const ROUTES: Readonly<Record<string, string>> = {
  create_checkout: 'POST /checkout-sessions',
  get_checkout: 'GET /checkout-sessions/{id}',
  update_checkout: 'PUT /checkout-sessions/{id}',
  complete_checkout: 'POST /checkout-sessions/{id}/complete',
  cancel_checkout: 'POST /checkout-sessions/{id}/cancel',
  create_cart: 'POST /carts',
  get_cart: 'GET /carts/{id}',
  update_cart: 'PUT /carts/{id}',
  cancel_cart: 'POST /carts/{id}/cancel',
  search_catalog: 'POST /catalog/search',
  lookup_catalog: 'POST /catalog/lookup',
  get_product: 'POST /catalog/product',
  get_order: 'GET /orders/{id}',
}
const ACME_ROUTES: Readonly<Record<string, string>> = {
  get_wishlist: 'GET /wishlists/{id}',
  add_wishlist_item: 'POST /wishlists/{id}/items',
  remove_wishlist_item: 'DELETE /wishlists/{id}/items',
}

export const CHECKOUT = [
  'create_checkout',
  'get_checkout',
  'update_checkout',
  'complete_checkout',
  'cancel_checkout',
]
export const CART = ['create_cart', 'get_cart', 'update_cart', 'cancel_cart']

/** What entries of the cases often declare. */
export const checkout: Members = { operations: CHECKOUT }
export const cart: Members = { operations: CART }
export const create: Members = { operations: ['create_checkout'] }
export const order: Members = { operations: ['get_order'] }
export const none: Members = { operations: [] }

/** Keeps some routes of the shopping document. */
export function routes(...ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id) => [id, ROUTES[id] ?? '']))
}

export const restDocument: Members = openApi(ROUTES)
export const mcpDocument: Members = openRpc(...Object.keys(ROUTES))
export const acmeDocument: Members = openApi(ACME_ROUTES)
export const DOCUMENTS: Documents = {
  [REST]: restDocument,
  [MCP]: mcpDocument,
  [ACME_REST]: acmeDocument,
}

/** A service entry; a platform gives no endpoint. */
export function service(transport: string, schema: string, members: Members = {}): Members {
  const vendor = schema.startsWith('https://acme.example/')
  const spec = vendor ? 'https://acme.example/docs' : 'https://ucp.dev/overview'
  return { version: vendor ? ACME : V, spec, transport, schema, ...members }
}
export const restService: Members = service('rest', REST, { endpoint: ENDPOINT })
export const mcpService: Members = service('mcp', MCP, { endpoint: MCP_ENDPOINT })
export const acmeRest: Members = service('rest', ACME_REST, { endpoint: ACME_ENDPOINT })

/** A registry entry with everything the published schema asks for. */
export function entry(name: string, members: Members = {}): Members {
  const vendor = name.startsWith('example.')
  const version = String(members['version'] ?? (vendor ? ACME : V))
  const host = vendor ? 'acme.example/ucp' : `ucp.dev/${version}/schemas`
  return {
    version,
    spec: 'https://ucp.dev/page',
    schema: `https://${host}/${name}.json`,
    ...members,
  }
}

/** A profile; an entry may be one or several, and services are REST and the vendor's unless given. */
export function profile(
  capabilities: Readonly<Record<string, Members | readonly Members[]>>,
  members: Members = {},
): { readonly ucp: Record<string, unknown> } {
  const registry = Object.entries(capabilities).map(([name, value]) => {
    const list = Array.isArray(value) ? (value as readonly Members[]) : [value as Members]
    return [name, list.map((item) => entry(name, item))]
  })
  const services = { [shopping]: [restService], [acmeService]: [acmeRest] }
  return {
    ucp: {
      version: V,
      services,
      capabilities: Object.fromEntries(registry),
      payment_handlers: {},
      ...members,
    },
  }
}

/** A platform that has the named capabilities, each in its usual version, with `extends` where told. */
export function platform(
  names: readonly string[],
  parents: Readonly<Record<string, unknown>> = {},
  members: Members = {},
): { readonly ucp: Record<string, unknown> } {
  const list = names.map((name) => [name, name in parents ? { extends: parents[name] } : {}])
  const services = { [shopping]: [service('rest', REST), service('mcp', MCP)] }
  return profile(Object.fromEntries(list), { services, ...members })
}

/** What is expected of a pair that can work together; roots are `declared` unless `source` says otherwise. */
export function ok(
  active: readonly string[],
  operations: readonly Operation[] = [],
  rest: Members = {},
): Record<string, unknown> {
  const versions = active.map((item) => {
    const [name = '', version] = item.split('@')
    return [name, version ?? (name.startsWith('example.') ? ACME : V)] as const
  })
  const sorted = [...operations].sort((a, b) =>
    a.service === b.service ? compare(a.id, b.id) : compare(a.service, b.service),
  )
  return {
    outcome: active.length > 0 ? 'ok' : 'capabilities_incompatible',
    protocol_version: V,
    active: Object.fromEntries(versions),
    excluded: {},
    operation_ids: [...new Set(sorted.map((item) => item.id))].sort(),
    operations: sorted,
    unresolved: [],
    diagnostics: [],
    ...rest,
    source: {
      ...Object.fromEntries(versions.map(([name]) => [name, 'declared'])),
      ...(rest['source'] as object),
    },
  }
}

/** What is expected when no protocol version is shared. */
export function unsupported(diagnostics: readonly Members[] = []): Record<string, unknown> {
  return { ...ok([], [], { diagnostics }), outcome: 'version_unsupported', protocol_version: null }
}

/** Operations of one owner over REST. */
export function rest(owner: string, ...ids: readonly string[]): Operation[] {
  return ids.map((id) => bound(id, [owner], 'rest'))
}

/** Operations of one owner over MCP. */
export function mcp(owner: string, ...ids: readonly string[]): Operation[] {
  return ids.map((id) => bound(id, [owner], 'mcp'))
}

/** Operations of one owner over both. */
export function both(owner: string, ...ids: readonly string[]): Operation[] {
  return ids.map((id) => bound(id, [owner], 'rest,mcp'))
}

/** One operation with its owners, on the named transports. */
export function bound(
  id: string,
  capabilities: readonly string[],
  transports: string,
  endpoint?: string,
): Operation {
  const vendor = capabilities[0]?.startsWith(acmeService) ?? false
  const [method = '', path = ''] = ((vendor ? ACME_ROUTES : ROUTES)[id] ?? '').split(' ')
  const base = endpoint ?? (vendor ? ACME_ENDPOINT : ENDPOINT)
  return {
    id,
    service: vendor ? acmeService : shopping,
    capabilities,
    bindings: {
      ...(transports.includes('rest') && { rest: { method, path, url: base + path } }),
      ...(transports.includes('mcp') && { mcp: { tool: id, endpoint: MCP_ENDPOINT } }),
    },
  }
}

/** Unresolved operations of one capability for one reason. */
export function unresolved(capability: string, reason: string, ...ids: string[]): Members[] {
  return ids.map((operation) => ({ operation, capability, reason }))
}

/** The same diagnostic for several operations of a capability. */
export function perOperation(code: string, capability: string, ...ids: string[]): Members[] {
  return ids.map((operation) => ({ code, capability, operation }))
}

/** A service of the protocol over REST and MCP. */
export const duplex: Members = { services: { [shopping]: [restService, mcpService] } }

/** Members of a profile whose only service has the given entries. */
export function only(...entries: readonly unknown[]): Members {
  return { services: { [shopping]: entries } }
}

/** The remark about a list that comes from the table. */
export function fallback(capability: string): Members {
  return { code: 'operations_fallback', capability }
}

/** What is reported about identifiers that no document has. */
export function notFound(capability: string, ...ids: string[]): Members {
  return {
    unresolved: unresolved(capability, 'operation_not_found', ...ids),
    diagnostics: perOperation('operation_not_found', capability, ...ids),
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
