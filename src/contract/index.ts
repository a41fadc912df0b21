export { type ResultContent, toResultContent } from './content.ts'
export {
  type Contract,
  type ContractError,
  type Contracts,
  createContracts,
} from './contract.ts'
export { type HttpAddress, listNamedAddresses, type ParameterPlace } from './http.ts'
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
