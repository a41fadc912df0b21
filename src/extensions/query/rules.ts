import type {
  PaginationStrategy,
  QueryCapabilities,
  QueryOperator,
  QuerySort,
} from '../../core/index.ts'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import type { JsonObject } from '../../values/index.ts'

/** The way to an option: `['filters', 'self', 0, 'attribute']`. */
export type OptionPath = readonly (string | number)[]

/** Everything wrong with the options of one call, so that a caller can mend it in one go. */
export interface Findings {
  readonly add: (path: OptionPath, expected: string, details?: JsonObject) => void
  /** Throws when there is any finding. */
  readonly finish: () => void
}

const MAX_FINDINGS = 20
// A key of the caller's own making is repeated in the message.
const MAX_NAME = 100

const MAX_ECHO = 255

/** Repeats what a caller wrote as a detail; anything that is not a name is omitted. */
export function echo(key: string, value: unknown): JsonObject {
  return typeof value === 'string' && value.length <= MAX_ECHO ? { [key]: value } : {}
}

/** Names an option in a message, and points at it. */
export type LocateOption = (path: OptionPath) => {
  readonly name: string
  readonly pointer: string
}

/** Creates an empty list of findings, which `locate` places in the request. */
export function createFindings(locate: LocateOption): Findings {
  const errors: CallErrorShape[] = []
  const finish = () => {
    const [first, ...rest] = errors
    if (first !== undefined) throw CallError.all([first, ...rest])
  }
  return {
    finish,
    add(path, expected, details) {
      const { name, pointer } = locate(path)
      errors.push({
        code: 'INVALID_ARGUMENTS',
        message: `${name.slice(0, MAX_NAME)} ${expected}`,
        source: { pointer },
        ...(details && { details }),
      })
      if (errors.length === MAX_FINDINGS) finish()
    },
  }
}

/** What an operator is compared with: one value, one that has an order, a text, a list, two bounds, or nothing. */
export type Operand = 'value' | 'ordered' | 'pattern' | 'list' | 'range' | 'none'

/** Every operator and its operand. */
export const OPERATORS: Readonly<Record<QueryOperator, Operand>> = {
  equals: 'value',
  not_equals: 'value',
  greater_than: 'ordered',
  greater_than_or_equal_to: 'ordered',
  less_than: 'ordered',
  less_than_or_equal_to: 'ordered',
  like: 'pattern',
  not_like: 'pattern',
  in: 'list',
  not_in: 'list',
  between: 'range',
  not_between: 'range',
  is_null: 'none',
  is_not_null: 'none',
}

/** The names in discovery documents, which callers may use too. */
const SHORT: ReadonlyMap<string, QueryOperator> = new Map([
  ['eq', 'equals'],
  ['neq', 'not_equals'],
  ['gt', 'greater_than'],
  ['gte', 'greater_than_or_equal_to'],
  ['lt', 'less_than'],
  ['lte', 'less_than_or_equal_to'],
])

/** Every operator by its wire name. */
export const OPERATOR_NAMES: readonly QueryOperator[] = Object.keys(OPERATORS) as QueryOperator[]

/** Finds the operator of a long or short name; undefined when there is none. */
export function resolveOperator(name: unknown): QueryOperator | undefined {
  if (typeof name !== 'string') return undefined
  return SHORT.get(name) ?? OPERATOR_NAMES.find((operator) => operator === name)
}

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
    throw new TypeError(`${of}: query.filters.operators has "${name}", which is not an operator`)
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
