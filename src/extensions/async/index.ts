export { type AsyncExtensionOptions, asyncExtension } from './async.ts'
export type { EndedOperation } from './end.ts'
export { readAsyncMode } from './mode.ts'
export {
  OPERATION_STATUSES,
  type OperationCall,
  type OperationRecord,
  type OperationStatus,
} from './record.ts'
