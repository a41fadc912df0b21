import type { QueryFilter, QueryOperator, QueryValue } from '../core/query-plan.ts'
import type { SqlBinder } from './sql-dialect.ts'

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
  const column = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined
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
export function toCondition(filter: QueryFilter, columns: SqlColumns, binder: SqlBinder): string {
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
  not_like: withValue(
    ({ sql, binder }, pattern) => binder.notLike(sql, String(pattern)),
    isNotNull,
  ),
  in: withValue(({ sql, values, binder }) => `${sql} in (${values.map(binder.bind).join(', ')})`),
  not_in: withValue(
    ({ sql, values, binder }) => `${sql} not in (${values.map(binder.bind).join(', ')})`,
    isNotNull,
  ),
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

function ranged(word: string, otherwise?: (parts: ConditionParts) => string) {
  return withValue(({ sql, values, binder }) => {
    const [from = '', to = ''] = values
    return `(${sql} ${word} ${binder.bind(from)} and ${binder.bind(to)})`
  }, otherwise)
}
