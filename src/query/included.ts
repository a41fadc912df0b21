import type { QueryPlan } from '../core/query-plan.ts'
import { identifiersOf, type ResourceObject, resourceKey } from './resource.ts'

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
  return identifiersOf(resource, name).flatMap((identifier) => {
    const related = index.get(resourceKey(identifier))
    return related === undefined ? [] : [related]
  })
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
