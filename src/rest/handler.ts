import type { Call, Outcome } from '../core/call.ts'
import { dispatch } from '../core/dispatch.ts'
import { toFailure } from '../core/invoke.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../wire/http.ts'
import { decodeCall, decodeTarget, type RestTarget } from './decode.ts'
import { encodeInternalError, encodeOutcome } from './encode.ts'
import type { ProfileSurface } from './profile.ts'

/** How the REST binding is mounted. */
export interface RestOptions {
  readonly prefix?: string
  /** The published profile; calls of platforms that announce theirs are checked against it. */
  readonly profile?: ProfileSurface
}

/** Serves every discoverable function at `POST {prefix}/{function}`, and its versions one segment below. */
export function createRestHandler(service: Service, options: RestOptions = {}): HttpHandler {
  const { prefix = '/api', profile } = options
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
    const agent = profile && request.header('ucp-agent')
    if (profile === undefined || agent === undefined) return answer(service, request, target)
    const admission = await profile.admit(agent, target.name)
    if (!admission.admitted) return admission.response
    return answer(service, request, target, admission.ucp)
  }
}

async function answer(
  service: Service,
  request: HttpRequest,
  target: RestTarget,
  ucp?: JsonObject,
): Promise<HttpResponse> {
  let call: Call | undefined
  const encode = (outcome: Outcome) => encodeOutcome(outcome, call)
  try {
    const principal = await service.authenticate?.({ header: request.header, surface: 'rest' })
    call = decodeCall(request, target, service, principal)
    return encode(withNegotiated(await dispatch(service, call), ucp))
  } catch (thrown) {
    const failure = toFailure(thrown, { call, log: service.log })
    try {
      return encode(failure)
    } catch {
      return encodeInternalError()
    }
  }
}

/** A negotiated answer says which capabilities it rests on, unless the function has said so itself. */
function withNegotiated(outcome: Outcome, ucp: JsonObject | undefined): Outcome {
  if (ucp === undefined || !outcome.ok || !isRecord(outcome.result) || 'ucp' in outcome.result) {
    return outcome
  }
  return { ...outcome, result: { ucp, ...outcome.result } }
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
