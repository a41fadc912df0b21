export { type DocumentOptions, toDocument } from './document.ts'
export { type QueryExtensionOptions, queryExtension, toQueryParser } from './extension.ts'
export { compareValues } from './match.ts'
export { PARAMETERS_POINTER } from './parameters.ts'
export { createQueryParser, type QueryParser, type QueryParserOptions } from './parse-query.ts'
export {
  attributeOf,
  findDocumentMistake,
  toResource,
} from './resource.ts'
export { OPERATOR_NAMES, OPERATORS, resolveOperator } from './rules.ts'
export { type RunQueryOptions, runQuery } from './run-query.ts'
export {
  type SqlColumn,
  type SqlColumns,
  type SqlDialect,
  type SqlParameter,
  type SqlPieces,
  type SqlRelation,
  type SqlType,
  type ToSqlOptions,
  toSql,
} from './sql.ts'
