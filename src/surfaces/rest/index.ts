export { EXTENSIONS_TYPE, encodeFailure } from './encode.ts'
export { ASYNC, ONE_OPERATION, OPERATIONS } from './operations.ts'
export { type RestSurfaceOptions, rest } from './surface.ts'
