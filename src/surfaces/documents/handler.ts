import { createHash } from 'node:crypto'
import {
  identifyReader,
  perView,
  type Service,
  toFailure,
  type View,
  viewOf,
} from '../../core/index.ts'
import { buildDocument, buildLlmsText, type LlmsOptions } from '../../discovery/index.ts'
import { toCredentials } from '../../net/index.ts'
import { isPromise } from '../../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../wire/index.ts'
import { encodeFailure } from '../rest/index.ts'
import { buildOpenApi } from './openapi.ts'
import { buildOpenRpc } from './openrpc.ts'

/** Serves the OpenAPI document of a service. */
export function createOpenApiHandler(service: Service, prefix?: string): HttpHandler {
  return createDocumentHandler(service, 'application/json', (view) =>
    JSON.stringify(buildOpenApi(service, prefix, view)),
  )
}

/** Serves the OpenRPC document of a service. */
export function createOpenRpcHandler(service: Service): HttpHandler {
  return createDocumentHandler(service, 'application/json', (view) =>
    JSON.stringify(buildOpenRpc(service, view)),
  )
}

/** Serves the discovery document of a service, as `describe` answers it. */
export function createDiscoveryHandler(service: Service): HttpHandler {
  return createDocumentHandler(service, 'application/json', (view) =>
    JSON.stringify(buildDocument(service, { view })),
  )
}

/** Serves what an agent should know first, as llms.txt. */
export function createLlmsHandler(service: Service, options: () => LlmsOptions): HttpHandler {
  return createDocumentHandler(service, 'text/plain; charset=utf-8', (view) =>
    buildLlmsText(buildDocument(service, { view }), options()),
  )
}

/** What callers see differs: only they may keep it, and they ask each time whether it still holds. */
const PRIVATE = { 'cache-control': 'private, no-cache', vary: 'authorization' }
const PUBLIC = { 'cache-control': 'public, max-age=60' }

/** Serves a text that is built once per state of the registry and view, with an ETag. */
function createDocumentHandler(
  service: Service,
  contentType: string,
  build: (view: View) => string,
): HttpHandler {
  const caching = service.authenticate === undefined ? PUBLIC : PRIVATE
  const prepare = perView(service.registry, (view) => {
    const body = build(view)
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    return { body, headers: { etag, ...caching, 'content-type': contentType } }
  })
  const answer = (request: HttpRequest, view: View): HttpResponse => {
    const { body, headers } = prepare(view)
    return request.header('if-none-match')?.includes(headers.etag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers, body }
  }
  const fail = (thrown: unknown) =>
    encodeFailure(toFailure(thrown, { log: service.log }), undefined, service)
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, headers: { allow: 'GET, HEAD' }, body: '' }
    }
    try {
      const principal = identifyReader(service, toCredentials(request, 'rest'))
      return isPromise(principal)
        ? principal.then((known) => answer(request, viewOf(service, known))).catch(fail)
        : answer(request, viewOf(service, principal))
    } catch (thrown) {
      return fail(thrown)
    }
  }
}
