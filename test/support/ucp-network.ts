import {
  type Connection,
  type ConnectOptions,
  connect,
  type Session,
} from '../../src/capabilities/session/connect.ts'
import type { PublicFetch, PublicRequest, PublicResponse } from '../../src/net/public-address.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { HAS_FIXTURES, publishedDocuments, VERSION } from './ucp.ts'

const SITE = `https://ucp.dev/${VERSION}`

/** Where the platform of test sessions has its profile. */
export const AGENT = 'https://agent.example/profile.json'

/** What an address answers; 200 unless it says otherwise. */
export type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }
type Served = unknown | ((request: PublicRequest & { url: string }) => Answer)

/** A network that answers from a table and remembers what was asked. */
export interface Network {
  readonly fetch: PublicFetch
  readonly requests: (PublicRequest & { readonly url: string })[]
}

/** A profile of test sessions, to be changed at will. */
export interface TestProfile {
  ucp: {
    version: string
    services: Record<string, Record<string, unknown>[]>
    capabilities: Record<string, Record<string, unknown>[]>
    payment_handlers: object
  }
}

/** The smallest profile of a version. */
export function tiny(version: string, endpoint?: string, transport = 'rest'): TestProfile {
  return {
    ucp: {
      version,
      services: { 'dev.ucp.shopping': endpoint ? [{ version, transport, endpoint }] : [] },
      capabilities: { 'dev.ucp.shopping.checkout': [{ version }] },
      payment_handlers: {},
    },
  }
}

/** One side of the shop with all published capabilities. */
export function profile(
  side: 'business' | 'platform',
  endpoint = 'https://shop.example/ucp/v1',
): TestProfile {
  const entry = (name: string, parents?: string[]): Record<string, unknown>[] => [
    {
      version: VERSION,
      spec: `${SITE}/specification/${name}`,
      schema: `${SITE}/schemas/shopping/${name.replace('.', '_')}.json`,
      ...(parents && { extends: parents.map((parent) => `dev.ucp.shopping.${parent}`) }),
    },
  ]
  const service = (transport: string, file: string, url: string): Record<string, unknown> => ({
    version: VERSION,
    spec: `${SITE}/specification/overview`,
    transport,
    schema: `${SITE}/services/shopping/${file}`,
    ...(side === 'business' && { endpoint: url }),
  })
  return {
    ucp: {
      version: VERSION,
      services: {
        'dev.ucp.shopping': [
          service('rest', 'rest.openapi.json', endpoint),
          service('mcp', 'mcp.openrpc.json', 'https://shop.example/ucp/mcp'),
        ],
      },
      capabilities: {
        'dev.ucp.shopping.checkout': entry('checkout'),
        'dev.ucp.shopping.cart': entry('cart'),
        'dev.ucp.shopping.catalog.search': entry('catalog.search'),
        'dev.ucp.shopping.catalog.lookup': entry('catalog.lookup'),
        'dev.ucp.shopping.order': entry('order'),
        'dev.ucp.shopping.discount': entry('discount', ['checkout', 'cart']),
        'dev.ucp.shopping.fulfillment': entry('fulfillment', ['checkout']),
      },
      payment_handlers: {},
    },
  }
}

/** A cart that the published schema accepts. */
export function cartPayload(): { line_items: JsonObject[] } {
  return { line_items: [{ item: { id: 'sku-1' }, quantity: 2 }] }
}

/** Creates the network of the shop; further addresses answer as told. */
export function createNetwork(extra: Record<string, Served> = {}): Network {
  const requests: (PublicRequest & { readonly url: string })[] = []
  const documents = HAS_FIXTURES ? publishedDocuments(VERSION) : {}
  const served: Record<string, Served> = {
    ...documents,
    'https://shop.example/.well-known/ucp': profile('business'),
    'https://shop.example/ucp/mcp': ({ body }: PublicRequest) => {
      const { id, params } = JSON.parse(String(body))
      return { body: { jsonrpc: '2.0', id, result: { structuredContent: { tool: params.name } } } }
    },
    ...extra,
  }
  const fetch: PublicFetch = async (url, request = {}) => {
    requests.push({ ...request, url })
    const found = served[url]
    const known = found ?? (url.startsWith('https://shop.example/ucp/') ? { url } : undefined)
    if (known === undefined) return toResponse(url, { status: 404 })
    return toResponse(
      url,
      typeof found === 'function' ? found({ ...request, url }) : { body: known },
    )
  }
  return { fetch, requests }
}

function toResponse(url: string, { status = 200, body, headers = {} }: Answer): PublicResponse {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  return { status, url, header: (name) => headers[name], body: Buffer.from(text) }
}

/** Connects to the shop. */
export async function open(
  network: Network,
  options: ConnectOptions = {},
  platform: unknown = profile('platform'),
): Promise<Session> {
  const { fetch } = network
  return sessionOf(
    await connect('https://shop.example', { url: AGENT, profile: platform }, { fetch, ...options }),
  )
}

/** The session of a connection that must stand. */
export function sessionOf(connection: Connection): Session {
  if (!connection.connected) throw new Error(`${connection.code}: ${connection.message}`)
  return connection.session
}
