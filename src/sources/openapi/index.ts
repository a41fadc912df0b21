export {
  allowSameFolder,
  type ExternalFailure,
  type ExternalOptions,
  importWithExternals,
  type ReadExternalsOptions,
  readExternals,
} from './externals.ts'
export {
  type ImportOptions,
  type ImportProgress,
  type ImportResult,
  importOpenApi,
} from './import.ts'
export {
  type ListOperationsOptions,
  listOperations,
  type OperationFilter,
  type OperationListing,
  type OperationRow,
} from './list.ts'
export {
  type LoadedDocument,
  type LoadOptions,
  loadOpenApi,
  type OpenApiVersion,
  type ParsedDocument,
  parseDocument,
} from './load.ts'
export { shorten } from './names.ts'
export type { ImportWarning } from './node.ts'
export type { OpenOptions } from './operations.ts'
