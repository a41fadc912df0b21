export { buildOpenApi } from './openapi.ts'
export { buildOpenRpc } from './openrpc.ts'
export { type RestSurfaceOptions, rest } from './surface.ts'
