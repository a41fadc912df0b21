export { buildOpenApi } from './openapi.ts'
export { buildOpenRpc } from './openrpc.ts'
export { rest } from './surface.ts'
