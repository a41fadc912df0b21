import type { QueryValue } from '../core/query-plan.ts'

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
