export type {
  ForrstCallOptions,
  ForrstClient,
  ForrstFailure,
  ForrstOutcome,
  ForrstStream,
  ForrstStreamOptions,
} from './client.ts'
export { readForrstDocument } from './document.ts'
export { connectForrstSource, type ForrstSource, type ForrstSourceOptions } from './source.ts'
