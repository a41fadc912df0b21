import type { Answer, CallOptions } from './contract.ts'
import {
  type Method,
  ServiceError,
  type Target,
  toMethod,
  toWireOptions,
  withExtension,
} from './method.ts'

/** A resource as queries answer it. */
export interface Resource<Attributes = Readonly<Record<string, unknown>>> {
  readonly type: string
  readonly id: string
  readonly attributes?: Partial<Attributes>
  readonly relationships?: Readonly<Record<string, unknown>>
  readonly meta?: Readonly<Record<string, unknown>>
}

/** What a query answers: one page of resources, and what was asked to be included. */
export interface Page<Attributes> {
  readonly data: readonly Resource<Attributes>[]
  readonly included?: readonly Resource[]
  readonly meta?: { readonly pagination?: PageInfo; readonly [name: string]: unknown }
}

/** Where a page stands among the others; which members there are depends on how pages were asked for. */
export interface PageInfo {
  readonly limit?: number
  readonly offset?: number
  readonly page?: number
  readonly per_page?: number
  readonly total?: number
  readonly next_cursor?: string | null
  readonly prev_cursor?: string | null
  readonly has_more?: boolean
}

/** What each operator compares with. */
export interface Operands<Value> {
  readonly eq: Value
  readonly neq: Value
  readonly gt: Value
  readonly gte: Value
  readonly lt: Value
  readonly lte: Value
  readonly like: string
  readonly not_like: string
  readonly in: readonly Value[]
  readonly not_in: readonly Value[]
  readonly between: readonly [Value, Value]
  readonly not_between: readonly [Value, Value]
  readonly is_null: true
  readonly is_not_null: true
}

/** Conditions on one attribute; all of them must hold. */
export type Conditions<Value, Operator extends keyof Operands<Value>> = Partial<
  Pick<Operands<Value>, Operator>
>

/** One condition of a list that is read from left to right, each joined to all before it. */
export interface Filter<Attribute extends string, Operator extends string> {
  readonly attribute: Attribute
  readonly operator: Operator
  readonly value?: unknown
  /** How it is joined to the conditions before it; `and` when absent. */
  readonly boolean?: 'and' | 'or'
}

/** The members of a method that can be queried. */
export interface Queryable<Query, Parameters extends readonly unknown[], Attributes, Declared> {
  /** Gives one page of what the query describes. */
  readonly query: Method<[query: Query, ...rest: Parameters], Page<Attributes>, Declared>
  /** Gives every resource the query describes, page after page. */
  readonly each: (
    query: Query,
    ...rest: Parameters
  ) => AsyncGenerator<Resource<Attributes>, void, void>
}

/** A query before it is written for the wire. */
export interface AnyQuery {
  readonly where?: Readonly<Record<string, unknown>>
  readonly filters?: readonly Filter<string, string>[]
  readonly sorts?: readonly string[]
  readonly fields?: readonly string[]
  readonly relationships?: readonly string[]
  readonly pagination?: Readonly<Record<string, unknown>>
}

/** Makes the members of a method that can be queried. */
export function createQueryable(target: Target): Readonly<Record<string, unknown>> {
  const run = (
    query: AnyQuery,
    callArguments?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> => {
    const entry = { urn: 'urn:forrst:ext:query', options: encodeQuery(query) }
    const wire = toWireOptions(target, withExtension(options, entry))
    return target.connection.call(target.function, callArguments ?? {}, wire)
  }
  const query = toMethod<Method<[AnyQuery, unknown?, CallOptions?], Page<unknown>, never>>(
    target,
    run,
  )
  return {
    query,
    each: async function* each(first: AnyQuery, callArguments?: unknown, options?: CallOptions) {
      for (let next: AnyQuery | undefined = first; next !== undefined; ) {
        const page: Page<unknown> = await query(next, callArguments, options)
        yield* page.data ?? []
        next = toNextPage(next, page)
      }
    },
  }
}

function toNextPage(query: AnyQuery, { data, meta }: Page<unknown>): AnyQuery | undefined {
  const { next_cursor: cursor, has_more: hasMore, offset, page } = meta?.pagination ?? {}
  const pagination = query.pagination ?? {}
  if (typeof cursor === 'string') {
    if (cursor === pagination['cursor']) throw new ServiceError([SAME_PAGE])
    return { ...query, pagination: { ...pagination, cursor } }
  }
  if (hasMore !== true || data.length === 0) return undefined
  if (typeof offset === 'number') {
    return { ...query, pagination: { ...pagination, offset: offset + data.length } }
  }
  return typeof page === 'number'
    ? { ...query, pagination: { ...pagination, page: page + 1 } }
    : undefined
}

const SAME_PAGE = {
  code: 'CLIENT_INVALID_RESPONSE',
  message: 'The service answered the same cursor twice',
}

const WIRE_OPERATORS: Readonly<Record<string, string>> = {
  eq: 'equals',
  neq: 'not_equals',
  gt: 'greater_than',
  gte: 'greater_than_or_equal_to',
  lt: 'less_than',
  lte: 'less_than_or_equal_to',
}

function encodeQuery(query: AnyQuery): Record<string, unknown> {
  const { where = {}, filters = [], sorts, fields, relationships, pagination } = query
  const conditions = [
    ...Object.entries(where).flatMap(([attribute, given]) => encodeConditions(attribute, given)),
    ...filters.map((filter) => ({ ...filter, operator: toWireOperator(filter.operator) })),
  ]
  return {
    ...(conditions.length > 0 && { filters: { self: conditions } }),
    ...(sorts && { sorts: sorts.map(encodeSort) }),
    ...(fields && { fields: { self: fields } }),
    ...(relationships && { relationships }),
    ...(pagination && { pagination }),
  }
}

function encodeConditions(attribute: string, given: unknown): Record<string, unknown>[] {
  if (given === undefined) return []
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return [{ attribute, operator: Array.isArray(given) ? 'in' : 'equals', value: given }]
  }
  return Object.entries(given).flatMap(([operator, value]: [string, unknown]) => {
    if (value === undefined) return []
    const isBare = operator === 'is_null' || operator === 'is_not_null'
    return [{ attribute, operator: toWireOperator(operator), ...(!isBare && { value }) }]
  })
}

function toWireOperator(operator: string): string {
  return Object.hasOwn(WIRE_OPERATORS, operator) ? (WIRE_OPERATORS[operator] ?? operator) : operator
}

function encodeSort(sort: string): Record<string, unknown> {
  const isDescending = sort.startsWith('-')
  return {
    attribute: isDescending ? sort.slice(1) : sort,
    direction: isDescending ? 'desc' : 'asc',
  }
}
