import { type Negotiation, negotiate } from '../../src/capabilities/negotiate/negotiate.ts'
import {
  type NegotiateReportInput,
  type NegotiationReport,
  negotiateReport,
} from '../../src/capabilities/negotiate/report.ts'
import { type LooseEntry, MCP_URL, makeProfile, openApi, openRpc, REST_URL } from './ucp.ts'

/** Negotiates between two sides that have the same capabilities. */
export function both(
  roots: Record<string, LooseEntry>,
  extensions: Record<string, LooseEntry>,
): Negotiation {
  const profile = makeProfile({ ...roots, ...extensions })
  return negotiate({ business: profile, platform: profile })
}

/** The names of the active capabilities, in their order. */
export function activeOf({ active }: Negotiation): readonly string[] {
  return [...active.keys()]
}

/** The documents of the service of test profiles, by URL. */
export const DOCUMENTS = {
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

/** Negotiates and resolves operations; the platform has what the business has, but declares none. */
export function resolve(
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
