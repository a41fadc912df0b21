import type { PaginationStrategy, QueryCapabilities } from '../core/description.ts'
import type { QueryOperator, QuerySort } from '../core/query-plan.ts'
import { OPERATOR_NAMES, resolveOperator } from './operators.ts'

/** What a function allows, with every default filled in. */
export interface QueryRules {
  /** Filterable attributes by `self` or relationship. */
  readonly filters: ReadonlyMap<string, readonly string[]>
  readonly operators: readonly QueryOperator[]
  readonly maxConditions: number
  readonly sorts: readonly string[]
  readonly maxSorts: number
  readonly defaultSort: QuerySort | undefined
  /** Selectable attributes by `self` or relationship. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly defaultFields: readonly string[] | undefined
  readonly relationships: readonly string[]
  readonly maxDepth: number
  readonly pagination: PaginationRules | undefined
  /** The words for it in the extension's answer. */
  readonly capabilities: readonly string[]
}

/** How a function pages. */
export interface PaginationRules {
  readonly styles: readonly PaginationStrategy[]
  readonly defaultStyle: PaginationStrategy
  readonly defaultLimit: number
  readonly maxLimit: number
}

const MAX_CONDITIONS = 50
const MAX_SORTS = 10
const MAX_DEPTH = 3
const DEFAULT_LIMIT = 25
const MAX_LIMIT = 100

/** Reads what a function declares; a mistake in it throws, naming the function and the field. */
export function toQueryRules(query: QueryCapabilities, name: string): QueryRules {
  const { filters, sorts, fields, relationships } = query
  return {
    filters: byResource(filters),
    operators: readOperators(filters?.operators, name),
    maxConditions: filters?.maxConditions ?? MAX_CONDITIONS,
    sorts: sorts?.allowed ?? [],
    maxSorts: sorts?.maxFields ?? MAX_SORTS,
    defaultSort: sorts?.default && {
      attribute: sorts.default.field,
      direction: sorts.default.direction,
    },
    fields: byResource(fields),
    defaultFields: fields?.default ?? fields?.allowed,
    relationships: relationships?.allowed ?? [],
    maxDepth: relationships?.maxDepth ?? MAX_DEPTH,
    pagination: readPagination(query.pagination, name),
    capabilities: [
      filters && 'filtering',
      sorts && 'sorting',
      query.pagination && 'pagination',
      relationships && 'relationships',
      fields && 'sparse_fieldsets',
    ].filter((capability) => capability !== undefined),
  }
}

function byResource(
  lists: Pick<NonNullable<QueryCapabilities['fields']>, 'allowed' | 'related'> | undefined,
): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...Object.entries(lists?.related ?? {}),
    ...(lists?.allowed ? [['self', lists.allowed] as const] : []),
  ])
}

function readOperators(names: readonly string[] | undefined, of: string): readonly QueryOperator[] {
  if (names === undefined) return OPERATOR_NAMES
  return names.map((name) => {
    const operator = resolveOperator(name)
    if (operator !== undefined) return operator
    throw new TypeError(`${of}: query.filters.operators has "${name}", which is no operator`)
  })
}

function readPagination(
  pagination: QueryCapabilities['pagination'],
  of: string,
): PaginationRules | undefined {
  if (pagination === undefined) return undefined
  const { strategies: [...styles] = ['offset'], defaultStrategy = styles[0] ?? 'offset' } =
    pagination
  const maxLimit = pagination.maxSize ?? Math.max(MAX_LIMIT, pagination.defaultSize ?? 0)
  const defaultLimit = pagination.defaultSize ?? Math.min(DEFAULT_LIMIT, maxLimit)
  if (!styles.includes(defaultStrategy)) {
    throw new TypeError(`${of}: query.pagination.defaultStrategy must be one of its strategies`)
  }
  if (!Number.isInteger(defaultLimit) || defaultLimit < 1 || defaultLimit > maxLimit) {
    throw new TypeError(`${of}: query.pagination.defaultSize must be from 1 to maxSize`)
  }
  return { styles, defaultStyle: defaultStrategy, defaultLimit, maxLimit }
}
