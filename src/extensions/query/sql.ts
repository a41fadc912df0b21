import type {
  PlannedFilter,
  QueryOperator,
  QueryPlan,
  QuerySort,
  QueryValue,
} from '../../core/index.ts'
import { ownMember } from '../../values/index.ts'
import { toWindow } from './document.ts'

/** How a database writes parameters and patterns. */
export type SqlDialect = 'sqlite' | 'postgres'

/** Collects values and gives the places that stand for them. */
export interface SqlBinder {
  readonly parameters: readonly QueryValue[]
  readonly bind: (value: QueryValue) => string
  /** Writes that a column matches a pattern with `%`. */
  readonly like: (sql: string, pattern: string) => string
  readonly notLike: (sql: string, pattern: string) => string
}

interface DialectRow {
  readonly place: (number: number) => string
  readonly toParameter: (value: QueryValue) => QueryValue
  readonly toPattern: (pattern: string) => string
  readonly like: readonly [operator: string, suffix: string]
}

const DIALECTS: Readonly<Record<SqlDialect, DialectRow>> = {
  sqlite: {
    place: () => '?',
    toParameter: (value) => (typeof value === 'boolean' ? Number(value) : value),
    // LIKE of SQLite ignores case.
    like: ['glob', ''],
    toPattern: (pattern) => pattern.replaceAll(/[*?[]/g, '[$&]').replaceAll('%', '*'),
  },
  postgres: {
    place: (number) => `$${number}`,
    toParameter: (value) => value,
    like: ['like', " escape '\\'"],
    toPattern: (pattern) => pattern.replaceAll(/[\\_]/g, '\\$&'),
  },
}

/** Creates the binder of one statement. */
export function createBinder(dialect: SqlDialect, firstParameter: number): SqlBinder {
  const { place, toParameter, toPattern, like } = DIALECTS[dialect]
  const parameters: QueryValue[] = []
  const bind = (value: QueryValue) => {
    parameters.push(toParameter(value))
    return place(firstParameter + parameters.length - 1)
  }
  const [operator, suffix] = like
  return {
    parameters,
    bind,
    like: (sql, pattern) => `${sql} ${operator} ${bind(toPattern(pattern))}${suffix}`,
    notLike: (sql, pattern) => `${sql} not ${operator} ${bind(toPattern(pattern))}${suffix}`,
  }
}

/** What a column holds. */
export type SqlType = 'text' | 'number' | 'boolean'

/** The column behind an attribute: SQL text of yours, or that with the type of what it holds; text when not said. */
export type SqlColumn = string | { readonly sql: string; readonly type?: SqlType }

/** The columns behind attributes. Nothing else of a table can be reached by a caller. */
export type SqlColumns = Readonly<Record<string, SqlColumn>>

interface ResolvedColumn {
  readonly sql: string
  readonly type: SqlType
  /** Ids are text on the wire, also where the table numbers its rows. */
  readonly toParameter: (value: QueryValue) => QueryValue
}

/** Looks up the column of an attribute; a missing one is a mistake of the function, not of its caller. */
export function resolveColumn(columns: SqlColumns, attribute: string): ResolvedColumn {
  const column = ownMember(columns, attribute)
  if (column === undefined) throw new TypeError(`toSql: there is no column for "${attribute}"`)
  const { sql, type = 'text' } = typeof column === 'string' ? { sql: column } : column
  const isNumberedId = attribute === 'id' && type === 'number'
  return { sql, type, toParameter: isNumberedId ? toNumberedId : (value) => value }
}

const DIGITS = /^-?\d{1,15}$/

function toNumberedId(value: QueryValue): QueryValue {
  return typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
}

/** Writes one condition. Values of another type than the column's never reach the database, which might convert them. */
export function toCondition(filter: PlannedFilter, columns: SqlColumns, binder: SqlBinder): string {
  const { sql, type, toParameter } = resolveColumn(columns, filter.attribute)
  const values = filter.values.map(toParameter).filter((value) => typeOf(value) === type)
  return CONDITIONS[filter.operator]({ sql, type, values, binder })
}

function typeOf(value: QueryValue): SqlType {
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean')
}

interface ConditionParts {
  readonly sql: string
  readonly type: SqlType
  /** The values that fit the column. */
  readonly values: readonly QueryValue[]
  readonly binder: SqlBinder
}

const NEVER = '1 = 0'

const CONDITIONS: Readonly<Record<QueryOperator, (parts: ConditionParts) => string>> = {
  equals: compared('='),
  not_equals: compared('<>', isNotNull),
  greater_than: compared('>'),
  greater_than_or_equal_to: compared('>='),
  less_than: compared('<'),
  less_than_or_equal_to: compared('<='),
  like: withValue(({ sql, binder }, pattern) => binder.like(sql, String(pattern))),
  not_like: withValue(({ sql, binder }, like) => binder.notLike(sql, String(like)), isNotNull),
  in: listed('in'),
  not_in: listed('not in', isNotNull),
  between: ranged('between'),
  not_between: ranged('not between', isNotNull),
  is_null: ({ sql }) => `${sql} is null`,
  is_not_null: isNotNull,
}

function isNotNull({ sql }: ConditionParts): string {
  return `${sql} is not null`
}

/** Writes a condition that needs a value; `otherwise` says what holds when no value fits the column. */
function withValue(
  write: (parts: ConditionParts, value: QueryValue) => string,
  otherwise: (parts: ConditionParts) => string = () => NEVER,
): (parts: ConditionParts) => string {
  return (parts) => {
    const [value] = parts.values
    return value === undefined ? otherwise(parts) : write(parts, value)
  }
}

function compared(sign: string, otherwise?: (parts: ConditionParts) => string) {
  return withValue(({ sql, binder }, value) => `${sql} ${sign} ${binder.bind(value)}`, otherwise)
}

function listed(word: string, otherwise?: (parts: ConditionParts) => string) {
  return withValue(
    ({ sql, values, binder }) => `${sql} ${word} (${values.map(binder.bind).join(', ')})`,
    otherwise,
  )
}

function ranged(word: string, otherwise?: (parts: ConditionParts) => string) {
  return withValue(({ sql, values, binder }) => {
    const [from = '', to = ''] = values
    return `(${sql} ${word} ${binder.bind(from)} and ${binder.bind(to)})`
  }, otherwise)
}

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
    after && toAfter(order, after, columns, binder),
  ].filter((condition) => condition !== undefined)
  const where =
    conditions.length === 0 ? '1 = 1' : conditions.map((one) => `(${one})`).join(' and ')
  const whereParameters = [...binder.parameters]
  const orderBy = order.map((sort) => toOrder(sort, columns, dialect)).join(', ')
  const limit = rows === undefined ? '' : `limit ${binder.bind(rows)} offset ${binder.bind(offset)}`
  const text = `where ${where} order by ${orderBy} ${limit}`.trimEnd()
  return { where, whereParameters, orderBy, limit, text, parameters: binder.parameters }
}

/** Folds conditions from left to right; a parenthesis closes where `and` and `or` change, as SQL has a precedence. */
function foldFilters(
  filters: readonly PlannedFilter[],
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
  filters: readonly PlannedFilter[],
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

/** Says "after this position" of an order: further at one level, and equal at all levels before it. */
function toAfter(
  order: readonly QuerySort[],
  [value = null, ...values]: readonly (QueryValue | null)[],
  columns: SqlColumns,
  binder: SqlBinder,
): string {
  const [sort, ...rest] = order
  if (sort === undefined) return '1 = 0'
  const { sql, toParameter } = resolveColumn(columns, sort.attribute)
  const bind = () => binder.bind(toParameter(value as QueryValue))
  const further = toFurther(sort, sql, value === null ? undefined : bind)
  if (rest.length === 0) return further
  const equal = value === null ? `${sql} is null` : `${sql} = ${bind()}`
  return `${further} or (${equal} and (${toAfter(rest, values, columns, binder)}))`
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
  const relation = ownMember(related, name)
  if (relation !== undefined) return relation
  throw new TypeError(`toSql: options.related has no entry for the relationship "${name}"`)
}
