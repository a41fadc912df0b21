import { isRecord } from '../core/json.ts'
import { isName } from './name.ts'

/** Capability name to the operations it drives, for profiles that do not say so themselves. */
export type FallbackTable = Readonly<Record<string, readonly string[]>>

/** The operations of the published root capabilities. */
export const FALLBACK_OPERATIONS: FallbackTable = {
  'dev.ucp.shopping.checkout': [
    'create_checkout',
    'get_checkout',
    'update_checkout',
    'complete_checkout',
    'cancel_checkout',
  ],
  'dev.ucp.shopping.cart': ['create_cart', 'get_cart', 'update_cart', 'cancel_cart'],
  'dev.ucp.shopping.catalog.search': ['search_catalog'],
  'dev.ucp.shopping.catalog.lookup': ['lookup_catalog', 'get_product'],
  'dev.ucp.shopping.order': ['get_order'],
  'dev.ucp.common.identity_linking': [],
  'dev.ucp.shopping.permalink': [],
}

/** Reads a table from outside, `false` included; a text says what is wrong with it. */
export function readFallback(value: unknown): FallbackTable | false | string {
  if (value === false) return false
  if (!isRecord(value)) return 'the table must be an object from capability to operations, or false'
  for (const [name, operations] of Object.entries(value)) {
    if (!isName(name)) return `${name}: is not a capability name`
    if (!Array.isArray(operations) || !operations.every((id) => typeof id === 'string')) {
      return `${name}: must be an array of operation identifiers`
    }
  }
  return value as FallbackTable
}
