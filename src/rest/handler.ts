import type { Call, Outcome } from '../core/call.ts'
import { dispatch } from '../core/dispatch.ts'
import { toFailure } from '../core/invoke.ts'
import type { Service } from '../core/service.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../wire/http.ts'
import { decodeCall, decodeTarget, type RestTarget } from './decode.ts'
import { encodeInternalError, encodeOutcome } from './encode.ts'

/** Serves every discoverable function at `POST {prefix}/{function}`, and its versions one segment below. */
export function createRestHandler(service: Service, prefix = '/api'): HttpHandler {
  return async function handleRest(request) {
    const target = decodeTarget(request.path.slice(prefix.length))
    const entry = target && service.registry.find(target.name)
    if (
      target === undefined ||
      entry === undefined ||
      entry.ordered.every(({ system }) => system)
    ) {
      return refuse(404, `No function at ${request.path.slice(0, 200)}; see /openapi.json`)
    }
    if (request.method !== 'POST') {
      return refuse(405, 'Functions are called with POST', { allow: 'POST' })
    }
    return answer(service, request, target)
  }
}

async function answer(
  service: Service,
  request: HttpRequest,
  target: RestTarget,
): Promise<HttpResponse> {
  let call: Call | undefined
  const encode = (outcome: Outcome) => encodeOutcome(outcome, call)
  try {
    const principal = await service.authenticate?.({ header: request.header, surface: 'rest' })
    call = decodeCall(request, target, service, principal)
    return encode(await dispatch(service, call))
  } catch (thrown) {
    const failure = toFailure(thrown, { call, log: service.log })
    try {
      return encode(failure)
    } catch {
      return encodeInternalError()
    }
  }
}

function refuse(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: 'about:blank', status, title: detail }),
  }
}
