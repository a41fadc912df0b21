export {
  type Contract,
  type ContractError,
  type Contracts,
  createContracts,
  type HttpBinding,
} from './contract.ts'
export {
  CALL_OPTIONS,
  type CallOption,
  ENTRIES,
  readEntryList,
  readHeaderOptions,
} from './options.ts'
export { type Parameters, toQueryEntry } from './parameters.ts'
export { isMasked } from './results.ts'
export {
  parseVersionedName,
  selectDefault,
  toPinnedToolName,
} from './versions.ts'
