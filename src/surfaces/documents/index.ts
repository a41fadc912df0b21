export { buildOpenApi } from './openapi.ts'
export { buildOpenRpc } from './openrpc.ts'
export { documents } from './surface.ts'
