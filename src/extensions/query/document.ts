import type {
  PlannedFilter,
  QueryPagination,
  QueryPlan,
  QuerySort,
  ResourceDocument,
  ResourceObject,
} from '../../core/index.ts'
import { isList, type JsonObject } from '../../values/index.ts'
import { identifiersOf, positionOf, resourceKey } from './resource.ts'

/** Which stretch of which order has to be read for a page. */
export interface QueryWindow {
  /** Conditions of the page itself, all of which have to be met. */
  readonly filters: readonly PlannedFilter[]
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

function toKeysetFilters(keyset: Keyset): readonly PlannedFilter[] {
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

/** Finds resources by type and id. */
export type ResourceIndex = ReadonlyMap<string, ResourceObject>

/** Indexes resources by type and id; the first of two equals wins. */
export function indexResources(resources: Iterable<ResourceObject>): ResourceIndex {
  const index = new Map<string, ResourceObject>()
  for (const resource of resources) {
    const key = resourceKey(resource)
    if (!index.has(key)) index.set(key, resource)
  }
  return index
}

/** Lists the resources a relationship leads to, as far as they are known. */
export function relatedOf(
  resource: ResourceObject,
  name: string,
  index: ResourceIndex,
): readonly ResourceObject[] {
  return identifiersOf(resource, name).flatMap((one) => index.get(resourceKey(one)) ?? [])
}

/** A resource to include, and the relationships that led to it. */
export interface IncludedResource {
  readonly resource: ResourceObject
  readonly paths: Set<string>
}

/** Collects every resource that the requested relationships of a page lead to, once each. */
export function collectIncluded(
  { relationships }: QueryPlan,
  page: readonly ResourceObject[],
  index: ResourceIndex,
): ReadonlyMap<string, IncludedResource> {
  const included = new Map<string, IncludedResource>()
  const reached = new Map<string, readonly ResourceObject[]>([['', page]])
  for (const path of relationships) {
    const dot = path.lastIndexOf('.')
    const parents = reached.get(path.slice(0, Math.max(dot, 0))) ?? []
    const found = new Map<string, ResourceObject>()
    for (const parent of parents) {
      for (const related of relatedOf(parent, path.slice(dot + 1), index)) {
        found.set(resourceKey(related), related)
      }
    }
    reached.set(path, [...found.values()])
    for (const [key, resource] of found) {
      const entry = included.get(key) ?? { resource, paths: new Set() }
      entry.paths.add(path)
      included.set(key, entry)
    }
  }
  // What stands in `data` already is not sent a second time.
  for (const resource of page) included.delete(resourceKey(resource))
  return included
}

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

function encodeKeyset(keyset: Keyset, { resources, hasExtra }: ReadPage): JsonObject {
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

/** What a document is made from beside the resources found. */
export interface DocumentOptions {
  /** Resources that requested relationships may lead to. */
  readonly related?: Iterable<ResourceObject>
  /** How many resources meet the filters, where that is known. */
  readonly total?: number
}

/**
 * Makes the result of a call out of what was read for its plan: cuts the page, includes relationships, reduces
 * fields. `found` is in the order it was read, with the one resource too many that tells whether there is more.
 */
export function toDocument(
  plan: QueryPlan,
  found: ResourceObject | null | readonly ResourceObject[],
  { related = [], total }: DocumentOptions = {},
): ResourceDocument {
  const { pagination } = plan
  const isSeveral = isList(found)
  const list = isSeveral ? found : found === null ? [] : [found]
  const limit = isSeveral && pagination ? pagination.limit : list.length
  const cut = list.slice(0, limit)
  const resources = toWindow(plan).reversed ? cut.reverse() : cut
  const needed = new Set(plan.relationships.filter((path) => !path.includes('.')))
  const data = resources.map((one) => reduceFields(one, plan.fields.get('self'), needed))
  const page = { resources, hasExtra: list.length > limit, total }
  return {
    data: isSeveral ? data : (data[0] ?? null),
    ...(plan.relationships.length > 0 && { included: include(plan, resources, related) }),
    ...(isSeveral &&
      pagination && { meta: { pagination: encodePagination(plan, pagination, page) } }),
  }
}

function include(
  plan: QueryPlan,
  page: readonly ResourceObject[],
  related: Iterable<ResourceObject>,
): readonly ResourceObject[] {
  const included = collectIncluded(plan, page, indexResources([...page, ...related]))
  return [...included.values()].map(({ resource, paths }) => {
    const lists = [...paths].map((path) => plan.fields.get(path))
    const fields = lists.every((list) => list !== undefined) ? lists.flat() : undefined
    const nested = plan.relationships.filter((path) =>
      paths.has(path.slice(0, Math.max(path.lastIndexOf('.'), 0))),
    )
    const needed = new Set(nested.map((path) => path.slice(path.lastIndexOf('.') + 1)))
    return reduceFields(resource, fields, needed)
  })
}

/** Keeps the selected attributes; a selection of none leaves type, id and the relationships that `included` needs. */
function reduceFields(
  resource: ResourceObject,
  fields: readonly string[] | undefined,
  needed: ReadonlySet<string>,
): ResourceObject {
  if (fields === undefined) return resource
  const { type, id, attributes = {}, relationships = {}, meta } = resource
  const kept = Object.entries(attributes).filter(([name]) => fields.includes(name))
  const links = Object.entries(relationships).filter(
    ([name]) => fields.length > 0 || needed.has(name),
  )
  return {
    type,
    id,
    ...(kept.length > 0 && { attributes: Object.fromEntries(kept) }),
    ...(links.length > 0 && { relationships: Object.fromEntries(links) }),
    ...(fields.length > 0 && meta && { meta }),
  }
}
