export type { ForrstClient } from './client.ts'
export { readForrstDocument } from './document.ts'
export { connectForrstSource, type ForrstSource, type ForrstSourceOptions } from './source.ts'
