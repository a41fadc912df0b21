import type { JsonObject } from '../core/json.ts'
import type { QueryPagination, QueryPlan } from '../core/query-plan.ts'
import { positionOf, type ResourceObject } from './resource.ts'
import { readsNewer } from './window.ts'

/** A page that was read: its resources in the order they are shown, and whether there were more. */
export interface ReadPage {
  readonly resources: readonly ResourceObject[]
  readonly hasExtra: boolean
  readonly total?: number | undefined
}

/** Writes `meta.pagination` of a page. */
export function encodePagination(
  plan: QueryPlan,
  pagination: QueryPagination,
  page: ReadPage,
): JsonObject {
  const { limit } = pagination
  const total = page.total === undefined ? {} : { total: page.total }
  switch (pagination.style) {
    case 'offset':
      return { limit, offset: pagination.offset, ...total, has_more: page.hasExtra }
    case 'page':
      return { page: pagination.page, per_page: limit, ...total, has_more: page.hasExtra }
    case 'cursor':
      return encodeCursors(plan, pagination, page)
    case 'keyset':
      return encodeKeyset(pagination, page)
  }
}

function encodeCursors(
  { sorts }: QueryPlan,
  pagination: Extract<QueryPagination, { readonly style: 'cursor' }>,
  { resources, hasExtra }: ReadPage,
): JsonObject {
  const { limit, position, seal } = pagination
  const backwards = position?.direction === 'before'
  const sealAt = (resource: ResourceObject | undefined, direction: 'after' | 'before') =>
    resource === undefined
      ? null
      : seal({ direction, values: sorts.map(({ attribute }) => positionOf(resource, attribute)) })
  const next = backwards || hasExtra ? sealAt(resources.at(-1), 'after') : null
  const hasPrevious = backwards ? hasExtra : position !== undefined
  return {
    limit,
    next_cursor: next,
    prev_cursor: hasPrevious ? sealAt(resources[0], 'before') : null,
    has_more: next !== null,
  }
}

function encodeKeyset(
  keyset: Extract<QueryPagination, { readonly style: 'keyset' }>,
  { resources, hasExtra }: ReadPage,
): JsonObject {
  const { limit, afterId, beforeId } = keyset
  const newer = readsNewer(keyset)
  return {
    limit,
    newest_id: resources[0]?.id ?? null,
    oldest_id: resources.at(-1)?.id ?? null,
    // A bound was an id of an earlier page: what lies beyond it is at least that resource.
    has_newer: newer ? hasExtra : beforeId !== undefined,
    has_older: newer || afterId !== undefined || hasExtra,
  }
}
