import { createHash } from 'node:crypto'
import type { Service } from '../../core/index.ts'
import { buildDocument, buildLlmsText, type LlmsOptions } from '../../discovery/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import { buildOpenApi } from './openapi.ts'
import { buildOpenRpc } from './openrpc.ts'

/** Serves the OpenAPI document of a service. */
export function createOpenApiHandler(service: Service, prefix?: string): HttpHandler {
  return createDocumentHandler(service, 'application/json', () =>
    JSON.stringify(buildOpenApi(service, prefix)),
  )
}

/** Serves the OpenRPC document of a service. */
export function createOpenRpcHandler(service: Service): HttpHandler {
  return createDocumentHandler(service, 'application/json', () =>
    JSON.stringify(buildOpenRpc(service)),
  )
}

/** Serves what an agent should know first, as llms.txt. */
export function createLlmsHandler(service: Service, options: LlmsOptions): HttpHandler {
  return createDocumentHandler(service, 'text/plain; charset=utf-8', () =>
    buildLlmsText(buildDocument(service), options),
  )
}

/** Serves a text that is built once per state of the registry, with an ETag. */
function createDocumentHandler(
  { registry }: Service,
  contentType: string,
  build: () => string,
): HttpHandler {
  let revision = -1
  let body = ''
  let etag = ''
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, headers: { allow: 'GET, HEAD' }, body: '' }
    }
    if (registry.revision() !== revision) {
      revision = registry.revision()
      body = build()
      etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    }
    const headers = { etag, 'cache-control': 'public, max-age=60', 'content-type': contentType }
    return request.header('if-none-match')?.includes(etag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers, body }
  }
}
