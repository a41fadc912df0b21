import { createHash } from 'node:crypto'
import { createPreparedResult } from '../core/prepared.ts'
import type { Service } from '../core/service.ts'
import type { HttpHandler } from '../wire/http.ts'
import { buildOpenApi } from './openapi.ts'
import { buildOpenRpc } from './openrpc.ts'

/** Serves the OpenAPI document of a service. */
export function createOpenApiHandler(service: Service, prefix?: string): HttpHandler {
  return createDocumentHandler(service, () => buildOpenApi(service, prefix))
}

/** Serves the OpenRPC document of a service. */
export function createOpenRpcHandler(service: Service): HttpHandler {
  return createDocumentHandler(service, () => buildOpenRpc(service))
}

/** Serves a document that is built once per state of the registry, with an ETag. */
export function createDocumentHandler(service: Service, build: () => unknown): HttpHandler {
  const prepare = createPreparedResult(service.registry, build)
  let known = ''
  let etag = ''
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, headers: { allow: 'GET, HEAD' }, body: '' }
    }
    const { json } = prepare()
    if (json !== known) {
      known = json
      etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`
    }
    const headers = {
      etag,
      'cache-control': 'public, max-age=60',
      'content-type': 'application/json',
    }
    return request.header('if-none-match')?.includes(etag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers, body: json }
  }
}
