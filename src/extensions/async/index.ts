export { type AsyncExtensionOptions, asyncExtension } from './async.ts'
export type { EndedOperation } from './end.ts'
export {
  OPERATION_STATUSES,
  type OperationCall,
  type OperationOutcome,
  type OperationRecord,
  type OperationStatus,
  readAsyncMode,
} from './record.ts'
