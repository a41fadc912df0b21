export { createLlmsHandler, createOpenApiHandler, createOpenRpcHandler } from './documents.ts'
export { createRestHandler, refuseRest } from './handler.ts'
export { buildOpenApi } from './openapi.ts'
export { buildOpenRpc } from './openrpc.ts'
