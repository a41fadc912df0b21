import { extensionUrn, type JsonObject } from '../../values/index.ts'
import { clientError } from '../errors.ts'
import type { CallOutcome } from '../outcome.ts'
import type { CallOptions } from '../retry.ts'
import type { Method, MethodRun } from './method.ts'

/** A resource as queries answer it. */
export interface QueryResource<Attributes = Readonly<Record<string, unknown>>> {
  readonly type: string
  readonly id: string
  readonly attributes?: Partial<Attributes>
  readonly relationships?: Readonly<Record<string, unknown>>
  readonly meta?: Readonly<Record<string, unknown>>
}

/** What a query answers: one page of resources, and what was asked to be included. */
export interface QueryPage<Attributes> {
  readonly data: readonly QueryResource<Attributes>[]
  readonly included?: readonly QueryResource[]
  readonly meta?: { readonly pagination?: QueryPageInfo; readonly [name: string]: unknown }
}

/** Where a page stands among the others; which members there are depends on how pages were asked for. */
export interface QueryPageInfo {
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
export interface QueryOperands<Value> {
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
export type QueryConditions<Value, Operator extends keyof QueryOperands<Value>> = Partial<
  Pick<QueryOperands<Value>, Operator>
>

/** One condition of a list that is read from left to right, each joined to all before it. */
export interface QueryFilter<Attribute extends string, Operator extends string> {
  readonly attribute: Attribute
  readonly operator: Operator
  readonly value?: unknown
  /** How it is joined to the conditions before it; `and` when absent. */
  readonly boolean?: 'and' | 'or'
}

/** The members of a method that can be queried. */
export interface Queryable<Query, Parameters extends readonly unknown[], Attributes, Declared> {
  /** Gives one page of what the query describes. */
  readonly query: Method<[query: Query, ...rest: Parameters], QueryPage<Attributes>, Declared>
  /** Gives every resource the query describes, page after page. */
  readonly each: (
    query: Query,
    ...rest: Parameters
  ) => AsyncGenerator<QueryResource<Attributes>, void, void>
}

/** A query before it is written for the wire. */
export interface AnyQuery {
  readonly where?: Readonly<Record<string, unknown>> | undefined
  readonly filters?: readonly QueryFilter<string, string>[] | undefined
  readonly sorts?: readonly string[] | undefined
  readonly fields?: readonly string[] | undefined
  readonly relationships?: readonly string[] | undefined
  readonly pagination?: Readonly<Record<string, unknown>> | undefined
}

/** Makes the members of a method that can be queried. */
export function createQueryable(
  toMethod: (run: MethodRun) => unknown,
  call: (callArguments: unknown, options: CallOptions) => Promise<CallOutcome>,
): Readonly<Record<string, unknown>> {
  const query = toMethod((asked: AnyQuery, callArguments?: unknown, options: CallOptions = {}) =>
    call(callArguments ?? {}, withQuery(options, asked)),
  ) as (...parameters: unknown[]) => Promise<unknown>
  return {
    query,
    each: (first: AnyQuery, callArguments?: unknown, options?: CallOptions) =>
      eachResource(first, (next) => query(next, callArguments, options)),
  }
}

/** Gives every resource that a query describes, page after page. */
export async function* eachResource(
  first: AnyQuery,
  read: (query: AnyQuery) => Promise<unknown>,
): AsyncGenerator<QueryResource<unknown>, void, void> {
  for (let next: AnyQuery | undefined = first; next !== undefined; ) {
    const page = (await read(next)) as QueryPage<unknown>
    yield* page.data ?? []
    next = toNextPage(next, page)
  }
}

const QUERY = extensionUrn('query')

/** Adds a query to the options of a call. */
export function withQuery(options: CallOptions, query: AnyQuery): CallOptions {
  const entry = { urn: QUERY, options: encodeQuery(query) }
  return { ...options, extensions: [...(options.extensions ?? []), entry] }
}

/** Tells the parts of a query from the options of its call. */
export function splitQuery(asked: AnyQuery & CallOptions): {
  query: AnyQuery
  options: CallOptions
} {
  const { where, filters, sorts, fields, relationships, pagination, ...options } = asked
  return { query: { where, filters, sorts, fields, relationships, pagination }, options }
}

/** Gives the query for the page after this one; undefined after the last. */
export function toNextPage(
  query: AnyQuery,
  { data, meta }: QueryPage<unknown>,
): AnyQuery | undefined {
  const { next_cursor: cursor, has_more: hasMore, offset, page } = meta?.pagination ?? {}
  const pagination = query.pagination ?? {}
  if (typeof cursor === 'string') {
    if (cursor === pagination['cursor']) {
      const message = 'The service answered the same cursor twice'
      throw clientError('CLIENT_INVALID_RESPONSE', { message })
    }
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

const WIRE_OPERATORS: Readonly<Record<string, string>> = {
  eq: 'equals',
  neq: 'not_equals',
  gt: 'greater_than',
  gte: 'greater_than_or_equal_to',
  lt: 'less_than',
  lte: 'less_than_or_equal_to',
}

function encodeQuery(query: AnyQuery): JsonObject {
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
  } as JsonObject
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
