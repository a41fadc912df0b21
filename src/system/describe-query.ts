import type { QueryCapabilities } from '../core/description.ts'
import type { JsonObject } from '../core/json.ts'

const STYLES = ['cursor', 'offset', 'keyset']

/** Writes query capabilities as the `pagination` and `capabilities` members of seed 001. */
export function encodeQuery(query: QueryCapabilities | undefined): JsonObject {
  if (query === undefined) return {}
  const capabilities: JsonObject = {
    ...(query.filters && { filters: byResource(query.filters) }),
    ...(query.sorts?.allowed && { sorts: [...query.sorts.allowed] }),
    ...(query.fields && { fields: byResource(query.fields) }),
    ...(query.relationships?.allowed && { relationships: [...query.relationships.allowed] }),
  }
  return {
    ...(query.pagination && { pagination: encodePagination(query.pagination) }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
  }
}

function encodePagination(pagination: NonNullable<QueryCapabilities['pagination']>): JsonObject {
  const { strategies = [], defaultStrategy, defaultSize = 25, maxSize = 100 } = pagination
  // Seed 001 has no word for numbered pages.
  const styles = strategies.filter((strategy) => STYLES.includes(strategy))
  const style = defaultStrategy ?? styles[0]
  return {
    styles,
    ...(style !== undefined && styles.includes(style) && { default_style: style }),
    default_limit: defaultSize,
    max_limit: maxSize,
  }
}

function byResource(lists: {
  readonly allowed?: readonly string[]
  readonly related?: Readonly<Record<string, readonly string[]>>
}): JsonObject {
  return {
    ...(lists.allowed && { self: [...lists.allowed] }),
    ...Object.fromEntries(
      Object.entries(lists.related ?? {}).map(([name, fields]) => [name, [...fields]]),
    ),
  }
}
