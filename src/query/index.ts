export type {
  QueryFilter,
  QueryOperator,
  QueryPagination,
  QueryPlan,
  QueryPosition,
  QuerySort,
  QueryValue,
} from '../core/query-plan.ts'
export { type DocumentOptions, toDocument } from './document.ts'
export { createQueryParser, type QueryParser, type QueryParserOptions } from './parse-query.ts'
export {
  type RelationshipObject,
  type ResourceDocument,
  type ResourceIdentifier,
  type ResourceObject,
  toResource,
} from './resource.ts'
export { type RunQueryOptions, runQuery } from './run-query.ts'
export type { SqlColumn, SqlColumns, SqlType } from './sql-condition.ts'
export type { SqlDialect } from './sql-dialect.ts'
export {
  type SqlParameter,
  type SqlPieces,
  type SqlRelation,
  type ToSqlOptions,
  toSql,
} from './to-sql.ts'
