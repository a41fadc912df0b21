import { randomUUID } from 'node:crypto'
import {
  type Admission,
  type Admit,
  BUSY_TEXT,
  type ProtocolRefusal,
  toRestError,
} from '../../capabilities/index.ts'
import { createContracts } from '../../contract/index.ts'
import {
  addReplyHeader,
  type Call,
  dispatch,
  findNear,
  type Outcome,
  type Principal,
  type Service,
  type Target,
  toFailure,
} from '../../core/index.ts'
import type { CallError } from '../../errors/index.ts'
import { answerStream } from '../../extensions/stream/index.ts'
import { type CallerKey, readCallerKey } from '../../net/index.ts'
import {
  andThen,
  extensionUrn,
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
  type RestParts,
  type RestTarget,
} from './decode.ts'
import { encodeFailure, encodeOutcome } from './encode.ts'
import { readFileBody } from './files.ts'
import { createRoutes, type RestRoute, toNamedMethods } from './routes.ts'
import { createStreamFormat } from './stream.ts'

/** How the REST binding is mounted. */
export interface RestOptions {
  /** Where functions are; `/api` when absent, an empty text for the root. */
  readonly prefix?: string
  /** Judges calls of platforms that announce their profile; nobody does when absent. */
  readonly admit?: Admit
  /** Names the caller whose budget is counted; principal or network of the connection when absent. */
  readonly callerKey?: CallerKey
}

/** A REST handler, and the paths that definitions give it, as they write them. */
export interface RestHandler extends HttpHandler {
  readonly paths: () => readonly string[]
}

/**
 * Serves every function at `{prefix}/{function}` and `{prefix}/{function}@{version}`: POST, and GET where it only reads;
 * and where its definition says.
 */
export function createRestHandler(service: Service, options: RestOptions = {}): RestHandler {
  const { prefix = '/api' } = options
  const contracts = createContracts(service)
  const routes = createRoutes(service, contracts)
  const surface: RestParts = { contracts, nextId: createIds(), prefix }
  const named = createNamed(service)
  const cacheable = (version: Target) =>
    service.supports(CACHING) &&
    !version.system &&
    version.accepts(CACHING) &&
    version.stateChanges.length === 0

  function handleRest(request: HttpRequest): Maybe<HttpResponse> {
    const path = request.path.slice(prefix.length)
    const target = decodeTarget(path)
    const entry = target && service.registry.find(target.name)
    if (
      target === undefined ||
      entry === undefined ||
      entry.ordered.every(({ system }) => system)
    ) {
      const route = routes.find(path)
      if (route === undefined) return refuse(404, explainAbsence(request, target, service))
      return choose(request, path, route)
    }
    const version = findVersion(entry, target)
    if (request.method === 'POST' || version === undefined) {
      const streamType = decodeStreamType(request, version)
      const asked = { target, version, at: undefined, streamType, surface }
      return answer(service, request, asked, options)
    }
    return choose(request, target.name, { methods: named(version), values: [] }, target)
  }

  /** Picks the function that a method means at a path. */
  function choose(
    request: HttpRequest,
    shown: string,
    { methods, values }: RestRoute,
    wanted?: RestTarget,
  ): Maybe<HttpResponse> {
    const end = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (end === undefined) return refuseMethod(request, shown, methods)
    const { target: version, address } = end
    const conditional = address.method === 'GET' && cacheable(version)
    const asked: Asked = {
      // A path of its own means one version.
      target: wanted ?? { name: version.name, version: version.version },
      version,
      at: { address, values, conditional },
      streamType: decodeStreamType(request, version),
      surface,
    }
    return answer(service, request, asked, options)
  }

  return Object.assign(handleRest, { paths: routes.paths })
}

const CACHING = extensionUrn('caching')

/** Remembers where each version is under its name. */
function createNamed(service: Service): (version: Target) => RestRoute['methods'] {
  const known = new WeakMap<Target, RestRoute['methods']>()
  return (version) => {
    const methods = known.get(version) ?? toNamedMethods(service, version)
    known.set(version, methods)
    return methods
  }
}

function refuseMethod(
  { method }: HttpRequest,
  shown: string,
  methods: RestRoute['methods'],
): HttpResponse {
  const names = [...methods.keys()]
  const allow = [...names, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: '' }
  return refuse(405, `${shown.slice(0, 200)} is called with ${names.join(' or ')}`, { allow })
}

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
  if (streamType !== undefined) {
    const { resume } = asked.version?.definition ?? {}
    const format = createStreamFormat(service, call, streamType, resume)
    return answerStream(service, call, format, (streaming) =>
      andThen(dispatch(service, streaming, 'rest'), (outcome) =>
        withNegotiated(outcome, ucp, call, asked),
      ),
    )
  }
  const outcome = dispatch(service, call, 'rest')
  return isPromise(outcome)
    ? outcome.then(
        (ready) =>
          encodeFile(ready, asked.version, request, call.reply) ??
          encode(ready, service, call, asked, ucp),
      )
    : (encodeFile(outcome, asked.version, request, call.reply) ??
        encode(outcome, service, call, asked, ucp))
}

function encode(
  outcome: Outcome,
  service: Service,
  call: Call,
  asked: Asked,
  ucp: JsonObject | undefined,
): HttpResponse {
  return encodeOutcome(withNegotiated(outcome, ucp, call, asked), call, service, asked)
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
  { version, surface }: Asked,
): Outcome {
  if (ucp === undefined || !outcome.ok) return outcome
  const { result } = outcome
  if (isRecord(result) && 'ucp' in result) return outcome
  const isOpen = version === undefined || surface.contracts.of(version).results.isOpen
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
