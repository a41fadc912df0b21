import type { QueryFilter, QueryPagination, QueryPlan, QuerySort } from '../core/query-plan.ts'

/** Which stretch of which order has to be read for a page. */
export interface QueryWindow {
  /** Conditions of the page itself, all of which have to be met. */
  readonly filters: readonly QueryFilter[]
  /** The order to read in: the other way round for pages before a position. */
  readonly order: readonly QuerySort[]
  /** Read what comes after these values. */
  readonly after: readonly (string | number | boolean | null)[] | undefined
  readonly offset: number
  /** One more than the page holds, which tells whether there is more; undefined reads everything. */
  readonly limit: number | undefined
  /** The page is to be turned round after reading. */
  readonly reversed: boolean
}

/** Derives what has to be read for the page of a plan. */
export function toWindow({ pagination, sorts }: QueryPlan): QueryWindow {
  const whole: QueryWindow = {
    filters: [],
    order: sorts,
    after: undefined,
    offset: 0,
    limit: pagination && pagination.limit + 1,
    reversed: false,
  }
  switch (pagination?.style) {
    case undefined:
      return whole
    case 'offset':
      return { ...whole, offset: pagination.offset }
    case 'page':
      return { ...whole, offset: (pagination.page - 1) * pagination.limit }
    case 'cursor': {
      const reversed = pagination.position?.direction === 'before'
      const order = reversed ? sorts.map(flip) : sorts
      return { ...whole, order, reversed, after: pagination.position?.values }
    }
    case 'keyset': {
      const reversed = readsNewer(pagination)
      const newestFirst: QuerySort = { attribute: 'id', direction: 'desc' }
      const order = [reversed ? flip(newestFirst) : newestFirst]
      return { ...whole, order, reversed, filters: toKeysetFilters(pagination) }
    }
  }
}

type Keyset = Extract<QueryPagination, { readonly style: 'keyset' }>

/** Tells whether a keyset page is the one next to `after_id`, on its newer side. */
export function readsNewer({ afterId, beforeId }: Keyset): boolean {
  return afterId !== undefined && beforeId === undefined
}

function toKeysetFilters(keyset: Keyset): readonly QueryFilter[] {
  const { afterId, beforeId, since, until, timeAttribute } = keyset
  const bounds = [
    ['id', 'greater_than', afterId],
    ['id', 'less_than', beforeId],
    [timeAttribute, 'greater_than', since],
    [timeAttribute, 'less_than', until],
  ] as const
  return bounds.flatMap(([attribute, operator, value]) =>
    value === undefined ? [] : [{ attribute, operator, values: [value], boolean: 'and' }],
  )
}

function flip({ attribute, direction }: QuerySort): QuerySort {
  return { attribute, direction: direction === 'asc' ? 'desc' : 'asc' }
}
