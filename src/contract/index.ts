export {
  type Contract,
  type ContractError,
  type Contracts,
  createContracts,
  type HttpBinding,
  type Mode,
} from './contract.ts'
export {
  CALL_OPTIONS,
  type CallOption,
  ENTRIES,
  readEntryList,
  readHeaderOptions,
} from './options.ts'
export { type Parameters, type Split, toQueryEntry } from './parameters.ts'
export type { Results } from './results.ts'
export {
  type ContractVersion,
  parseVersionedName,
  selectDefault,
  toPinnedToolName,
} from './versions.ts'
