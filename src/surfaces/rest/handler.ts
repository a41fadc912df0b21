import { randomUUID } from 'node:crypto'
import {
  type Admission,
  type Admit,
  BUSY_TEXT,
  type ProtocolRefusal,
  toRestError,
} from '../../capabilities/index.ts'
import { createContracts, type HttpBinding } from '../../contract/index.ts'
import {
  addReplyHeader,
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
import {
  andThen,
  formatNear,
  isPromise,
  isRecord,
  type JsonObject,
  type Maybe,
  once,
  toMaybe,
} from '../../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../wire/index.ts'
import { encodeFile } from './binary.ts'
import {
  type Asked,
  decodeCall,
  decodeStreamType,
  decodeTarget,
  findVersion,
  type RestTarget,
} from './decode.ts'
import { encodeFailure, encodeOutcome } from './encode.ts'
import { readFileBody } from './files.ts'
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
  const nextId = createIds()
  const contracts = createContracts(service)
  return function handleRest(request) {
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
    if (request.method !== 'POST') {
      const { methods } = version ? contracts.of(version).http : ANY_METHOD
      if (!methods.some((method) => method === request.method)) {
        const allow = methods.join(', ')
        return refuse(405, `${target.name} is called with ${methods.join(' or ')}`, { allow })
      }
    }
    const streamType = decodeStreamType(request, version)
    return answer(service, request, { target, version, contracts, streamType, nextId }, options)
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

/** Synchronous as long as nothing has to be waited for: each async function costs a call about a tenth of its time. */
function answer(
  service: Service,
  request: HttpRequest,
  asked: Asked,
  options: RestOptions,
): Maybe<HttpResponse> {
  let call: Call | undefined
  const fail = (thrown: unknown): HttpResponse =>
    encodeFailure(toFailure(thrown, { call, log: service.log }), call, service)
  const runAs = (principal: Principal | undefined, ucp?: JsonObject): Maybe<HttpResponse> => {
    const files = readFileBody(request, asked, service)
    if (files !== undefined) {
      return files.then((body) => {
        call = decodeCall(request, asked, service, principal, body)
        return run(service, call, asked, ucp, request)
      })
    }
    call = decodeCall(request, asked, service, principal)
    return run(service, call, asked, ucp, request)
  }
  try {
    const principal = toMaybe(service.authenticate?.({ header: request.header, surface: 'rest' }))
    const announced = options.admit && request.header('ucp-agent')
    const response =
      announced === undefined && !isPromise(principal)
        ? runAs(principal)
        : admitAgent(request, principal, asked.target.name, options).then(({ known, admission }) =>
            admission?.admitted === false
              ? encodeRefusal(admission.refusal)
              : runAs(known, admission?.ucp),
          )
    return isPromise(response) ? response.catch(fail) : response
  } catch (thrown) {
    return fail(thrown)
  }
}

function run(
  service: Service,
  call: Call,
  asked: Asked,
  ucp: JsonObject | undefined,
  request: HttpRequest,
): Maybe<HttpResponse> {
  const { streamType } = asked
  const encode = (outcome: Outcome): HttpResponse =>
    encodeFile(outcome, asked.version, request, call.reply) ??
    encodeOutcome(withNegotiated(outcome, ucp, call, asked), call, service, asked)
  if (streamType !== undefined) {
    return answerStream(service, call, createStreamFormat(service, call, streamType), (streaming) =>
      andThen(dispatch(service, streaming), (outcome) => withNegotiated(outcome, ucp, call, asked)),
    )
  }
  const outcome = dispatch(service, call)
  return isPromise(outcome) ? outcome.then(encode) : encode(outcome)
}

/** Nothing is fetched for a caller who was not let in. */
async function admitAgent(
  request: HttpRequest,
  principal: Maybe<Principal | undefined>,
  functionName: string,
  { admit, callerKey }: RestOptions,
): Promise<{
  readonly known: Principal | undefined
  readonly admission: Admission | undefined
}> {
  const known = await principal
  const header = admit && request.header('ucp-agent')
  if (admit === undefined || header === undefined) return { known, admission: undefined }
  const admission = await admit({ header }, functionName, readCallerKey(callerKey, request, known))
  return { known, admission }
}

/** Ids of calls whose callers give none: a random start and a count, because a random id for each costs more. */
function createIds(): () => string {
  const start = once(() => `rest_${randomUUID()}_`)
  let count = 0
  return () => {
    count += 1
    return start() + count
  }
}

/**
 * A negotiated answer says which capabilities it rests on, unless the function has said so itself: in the body, or in a
 * header where the body is described as having no further members.
 */
function withNegotiated(
  outcome: Outcome,
  ucp: JsonObject | undefined,
  { reply }: Call,
  { version, contracts }: Asked,
): Outcome {
  if (ucp === undefined || !outcome.ok) return outcome
  const { result } = outcome
  if (isRecord(result) && 'ucp' in result) return outcome
  const isOpen = version === undefined || contracts.of(version).results.isOpen
  if (isRecord(result) && isOpen) return { ...outcome, result: { ucp, ...result } }
  addReplyHeader(reply, 'ucp-negotiated', toAscii(JSON.stringify(ucp)))
  return outcome
}

function toAscii(json: string): string {
  return json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
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
