import {
  type Admission,
  type Admit,
  BUSY_TEXT,
  type ProtocolRefusal,
  toRestError,
} from '../../capabilities/index.ts'
import { createContracts, type HttpBinding } from '../../contract/index.ts'
import {
  type Call,
  dispatch,
  findNear,
  type Outcome,
  type Principal,
  type Service,
  toFailure,
} from '../../core/index.ts'
import type { CallError } from '../../errors/index.ts'
import { answerStream } from '../../extensions/stream/index.ts'
import { type CallerKey, readCallerKey } from '../../net/index.ts'
import { andThen, formatNear, isRecord, type JsonObject } from '../../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../wire/index.ts'
import {
  decodeCall,
  decodeStreamType,
  decodeTarget,
  findVersion,
  type RestRequest,
  type RestTarget,
} from './decode.ts'
import { encodeFailure, encodeOutcome } from './encode.ts'
import { createStreamFormat } from './stream.ts'

/** How the REST binding is mounted. */
export interface RestOptions {
  readonly prefix?: string
  /** Judges calls of platforms that announce their profile; nobody does when absent. */
  readonly admit?: Admit
  /** Names the caller whose budget is counted; principal or network of the connection when absent. */
  readonly callerKey?: CallerKey
}

/** Serves every function at `{prefix}/{function}` and `{prefix}/{function}@{version}`: POST, and GET where it only reads. */
export function createRestHandler(service: Service, options: RestOptions = {}): HttpHandler {
  const { prefix = '/api' } = options
  const contracts = createContracts(service)
  return async function handleRest(request) {
    const target = decodeTarget(request.path.slice(prefix.length))
    const entry = target && service.registry.find(target.name)
    if (
      target === undefined ||
      entry === undefined ||
      entry.ordered.every(({ system }) => system)
    ) {
      return refuse(404, explainAbsence(request, target, service))
    }
    const version = findVersion(entry, target)
    const contract = () => version && contracts.of(version)
    if (request.method !== 'POST') {
      const { methods } = contract()?.http ?? ANY_METHOD
      if (!methods.some((method) => method === request.method)) {
        const allow = methods.join(', ')
        return refuse(405, `${target.name} is called with ${methods.join(' or ')}`, { allow })
      }
    }
    const streamType = decodeStreamType(request, version)
    return answer(service, { request, target, contract, streamType }, options)
  }
}

/** A version that is not there is answered with VERSION_NOT_FOUND, however it is asked for. */
const ANY_METHOD: Pick<HttpBinding, 'methods'> = { methods: ['GET', 'POST'] }

/** Answers a request that is refused before anybody reads it. */
export function refuseRest(service: Service, error: CallError): HttpResponse {
  const { errors, status } = error
  return encodeFailure(
    { ok: false, errors, ...(status !== undefined && { status }) },
    undefined,
    service,
  )
}

async function answer(
  service: Service,
  asked: RestRequest,
  options: RestOptions,
): Promise<HttpResponse> {
  const { request, target, streamType } = asked
  let ucp: JsonObject | undefined
  const run = (call: Call) =>
    andThen(dispatch(service, call), (outcome) => withNegotiated(outcome, ucp))
  let call: Call | undefined
  try {
    const principal = await service.authenticate?.({ header: request.header, surface: 'rest' })
    const admission = await judgeAgent(request, principal, target.name, options)
    if (admission?.admitted === false) return encodeRefusal(admission.refusal)
    ucp = admission?.ucp
    call = decodeCall(asked, service, principal)
    if (streamType !== undefined) {
      return await answerStream(service, call, createStreamFormat(service, call, streamType), run)
    }
    return encodeOutcome(await run(call), call, service)
  } catch (thrown) {
    return encodeFailure(toFailure(thrown, { call, log: service.log }), call, service)
  }
}

/** Nothing is fetched for a caller who was not let in. */
async function judgeAgent(
  request: HttpRequest,
  principal: Principal | undefined,
  functionName: string,
  { admit, callerKey }: RestOptions,
): Promise<Admission | undefined> {
  const header = admit && request.header('ucp-agent')
  if (admit === undefined || header === undefined) return undefined
  return admit({ header }, functionName, readCallerKey(callerKey, request, principal))
}

/** A negotiated answer says which capabilities it rests on, unless the function has said so itself. */
function withNegotiated(outcome: Outcome, ucp: JsonObject | undefined): Outcome {
  if (ucp === undefined || !outcome.ok || !isRecord(outcome.result) || 'ucp' in outcome.result) {
    return outcome
  }
  return { ...outcome, result: { ucp, ...outcome.result } }
}

function encodeRefusal(refusal: ProtocolRefusal): HttpResponse {
  if (refusal.kind === 'busy') {
    return refuse(503, BUSY_TEXT, { 'retry-after': String(refusal.retryAfterSeconds) })
  }
  const { status, body } =
    refusal.kind === 'error'
      ? toRestError(refusal.code, refusal.text)
      : { status: 200, body: refusal.body }
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function explainAbsence(
  { path }: HttpRequest,
  target: RestTarget | undefined,
  { registry }: Service,
): string {
  const hint = target === undefined ? '' : formatNear(findNear(registry, target.name))
  return `No function at ${path.slice(0, 200)}${hint}${hint === '' ? ';' : ''} see /openapi.json`
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
