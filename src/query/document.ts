import { isList } from '../core/json.ts'
import type { QueryPlan } from '../core/query-plan.ts'
import { collectIncluded, indexResources } from './included.ts'
import { encodePagination } from './pagination-meta.ts'
import type { ResourceDocument, ResourceObject } from './resource.ts'
import { toWindow } from './window.ts'

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
  const data = resources.map((resource) => shapePrimary(plan, resource))
  return {
    data: isSeveral ? data : (data[0] ?? null),
    ...(plan.relationships.length > 0 && { included: include(plan, resources, related) }),
    ...(isSeveral &&
      pagination && {
        meta: {
          pagination: encodePagination(plan, pagination, {
            resources,
            hasExtra: list.length > limit,
            total,
          }),
        },
      }),
  }
}

function shapePrimary(
  { fields, relationships }: QueryPlan,
  resource: ResourceObject,
): ResourceObject {
  return reduceFields(resource, {
    fields: fields.get('self'),
    needed: new Set(relationships.filter((path) => !path.includes('.'))),
  })
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
    return reduceFields(resource, { fields, needed })
  })
}

/** Keeps the selected attributes; a selection of none leaves type, id and the relationships that `included` needs. */
function reduceFields(
  resource: ResourceObject,
  selection: {
    readonly fields: readonly string[] | undefined
    readonly needed: ReadonlySet<string>
  },
): ResourceObject {
  const { fields, needed } = selection
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
