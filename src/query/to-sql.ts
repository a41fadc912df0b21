import type { QueryFilter, QueryPlan, QuerySort, QueryValue } from '../core/query-plan.ts'
import { resolveColumn, type SqlColumns, toCondition } from './sql-condition.ts'
import { createBinder, type SqlBinder, type SqlDialect } from './sql-dialect.ts'
import { toWindow } from './window.ts'

/** Where the resources of a relationship are found. All of it is SQL text of yours, never of a caller. */
export interface SqlRelation {
  /** Table, or tables with joins: `attendees`. */
  readonly from: string
  /** What ties them to the outer row: `attendees.event_id = events.id`. */
  readonly on: string
  readonly columns: SqlColumns
}

/** How a plan is written. */
export interface ToSqlOptions {
  /** `sqlite` when absent: parameters are `?`. With `postgres` they are `$1`, `$2`, … */
  readonly dialect?: SqlDialect
  /** Number of the first parameter, where your statement has others before it; 1 when absent. */
  readonly firstParameter?: number
  /** Where relationship filters look. */
  readonly related?: Readonly<Record<string, SqlRelation>>
}

/** The pieces of a statement. Texts hold no value of a caller, only places for `parameters`. */
export interface SqlPieces {
  /** A condition, `1 = 1` when there is none. */
  readonly where: string
  /** The parameters of `where` alone, to count with. */
  readonly whereParameters: readonly SqlParameter[]
  readonly orderBy: string
  /** `limit … offset …`, with one row more than the page; empty when the function does not page. */
  readonly limit: string
  /** Everything, in order: `where … order by … limit … offset …`. */
  readonly text: string
  readonly parameters: readonly SqlParameter[]
}

/** A value for a place in a statement. */
export type SqlParameter = QueryValue

/** Writes a plan as the pieces of a SQL statement with parameters. */
export function toSql(plan: QueryPlan, columns: SqlColumns, options: ToSqlOptions = {}): SqlPieces {
  const { dialect = 'sqlite', firstParameter = 1, related = {} } = options
  const binder = createBinder(dialect, firstParameter)
  const { filters, order, after, offset, limit: rows } = toWindow(plan)
  const conditions = [
    foldFilters(plan.filters, columns, binder),
    ...[...plan.relatedFilters].map(([name, list]) =>
      toExists(list, requireRelation(related, name), binder),
    ),
    foldFilters(filters, columns, binder),
    after && toAfter(order, after, { columns, binder }),
  ].filter((condition) => condition !== undefined)
  const where = conditions.length === 0 ? '1 = 1' : conditions.map(inParentheses).join(' and ')
  const whereParameters = [...binder.parameters]
  const orderBy = order.map((sort) => toOrder(sort, columns, dialect)).join(', ')
  const limit = rows === undefined ? '' : `limit ${binder.bind(rows)} offset ${binder.bind(offset)}`
  const text = `where ${where} order by ${orderBy} ${limit}`.trimEnd()
  return { where, whereParameters, orderBy, limit, text, parameters: binder.parameters }
}

/** Folds conditions from left to right; a parenthesis closes where `and` and `or` change, as SQL has a precedence. */
function foldFilters(
  filters: readonly QueryFilter[],
  columns: SqlColumns,
  binder: SqlBinder,
): string | undefined {
  let folded: { readonly text: string; readonly joined?: string } | undefined
  for (const filter of filters) {
    const condition = toCondition(filter, columns, binder)
    if (folded === undefined) folded = { text: condition }
    else {
      const { text, joined = filter.boolean } = folded
      const left = joined === filter.boolean ? text : `(${text})`
      folded = { text: `${left} ${filter.boolean} ${condition}`, joined: filter.boolean }
    }
  }
  return folded?.text
}

function toExists(
  filters: readonly QueryFilter[],
  relation: SqlRelation,
  binder: SqlBinder,
): string {
  const { from, on, columns } = relation
  const condition = foldFilters(filters, columns, binder) ?? '1 = 1'
  return `exists (select 1 from ${from} where (${on}) and (${condition}))`
}

/** Null counts as the smallest value, which has to be said to a database that thinks otherwise. */
function toOrder({ attribute, direction }: QuerySort, columns: SqlColumns, dialect: SqlDialect) {
  const { sql } = resolveColumn(columns, attribute)
  const nulls = direction === 'asc' ? 'nulls first' : 'nulls last'
  return dialect === 'sqlite' ? `${sql} ${direction}` : `${sql} ${direction} ${nulls}`
}

interface Place {
  readonly columns: SqlColumns
  readonly binder: SqlBinder
}

/** Says "after this position" of an order: further at one level, and equal at all levels before it. */
function toAfter(
  order: readonly QuerySort[],
  [value = null, ...values]: readonly (QueryValue | null)[],
  place: Place,
): string {
  const [sort, ...rest] = order
  if (sort === undefined) return '1 = 0'
  const { sql, toParameter } = resolveColumn(place.columns, sort.attribute)
  const bind = () => place.binder.bind(toParameter(value as QueryValue))
  const further = toFurther(sort, sql, value === null ? undefined : bind)
  if (rest.length === 0) return further
  const equal = value === null ? `${sql} is null` : `${sql} = ${bind()}`
  return `${further} or (${equal} and (${toAfter(rest, values, place)}))`
}

function toFurther(
  { direction }: QuerySort,
  sql: string,
  bind: (() => string) | undefined,
): string {
  if (direction === 'asc') return bind ? `${sql} > ${bind()}` : `${sql} is not null`
  return bind ? `(${sql} < ${bind()} or ${sql} is null)` : '1 = 0'
}

function requireRelation(
  related: Readonly<Record<string, SqlRelation>>,
  name: string,
): SqlRelation {
  const relation = Object.hasOwn(related, name) ? related[name] : undefined
  if (relation !== undefined) return relation
  throw new TypeError(`toSql: options.related has no entry for the relationship "${name}"`)
}

function inParentheses(condition: string): string {
  return `(${condition})`
}
