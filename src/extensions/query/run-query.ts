import type {
  PlannedFilter,
  QueryPlan,
  QuerySort,
  ResourceDocument,
  ResourceObject,
} from '../../core/index.ts'
import { indexResources, type ResourceIndex, relatedOf, toDocument, toWindow } from './document.ts'
import { compareValues, compileFilters, type Match } from './match.ts'
import { attributeOf } from './resource.ts'

/** What a query over a list needs beside the list. */
export interface RunQueryOptions {
  /** Resources that relationships lead to, for filters and for `included`. */
  readonly related?: readonly ResourceObject[]
}

/** Runs a plan over a list of resources: filter, sort, cut the page, include relationships, reduce fields. */
export function runQuery(
  plan: QueryPlan,
  resources: readonly ResourceObject[],
  { related = [] }: RunQueryOptions = {},
): ResourceDocument {
  const { filters, order, after, offset, limit } = toWindow(plan)
  const needsIndex = plan.relationships.length > 0 || plan.relatedFilters.size > 0
  const known = needsIndex ? [...related, ...resources] : []
  const matches = [
    compileFilters(plan.filters),
    ...toRelatedMatches(plan.relatedFilters, indexResources(known)),
    compileFilters(filters),
  ]
  const chosen = resources.filter((resource) => matches.every((match) => match(resource)))
  chosen.sort((left, right) => compareBy(order, left, (sort) => attributeOf(right, sort.attribute)))
  const from = after ? firstAfter(chosen, order, after) : offset
  const read = chosen.slice(from, limit === undefined ? undefined : from + limit)
  return toDocument(plan, read, { related: known, total: chosen.length })
}

/** Compares a resource with what stands for another one at each level of the order. */
function compareBy(
  order: readonly QuerySort[],
  resource: ResourceObject,
  other: (sort: QuerySort, level: number) => unknown,
): number {
  for (const [level, sort] of order.entries()) {
    const difference = compareValues(attributeOf(resource, sort.attribute), other(sort, level))
    if (difference !== 0) return sort.direction === 'asc' ? difference : -difference
  }
  return 0
}

function firstAfter(
  sorted: readonly ResourceObject[],
  order: readonly QuerySort[],
  position: readonly unknown[],
): number {
  const at = sorted.findIndex(
    (resource) => compareBy(order, resource, (_sort, level) => position[level]) > 0,
  )
  return at === -1 ? sorted.length : at
}

/** One test per relationship: that one related resource, at the end of the path, meets all its conditions. */
function toRelatedMatches(
  filters: ReadonlyMap<string, readonly PlannedFilter[]>,
  index: ResourceIndex,
): readonly Match[] {
  return [...filters].map(([path, list]) => {
    const matches = compileFilters(list)
    const steps = path.split('.')
    return (resource) =>
      steps
        .reduce<readonly ResourceObject[]>(
          (reached, name) => reached.flatMap((one) => relatedOf(one, name, index)),
          [resource],
        )
        .some(matches)
  })
}
