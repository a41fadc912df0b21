import { randomUUID } from 'node:crypto'
import {
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
  type FunctionEntry,
  findNear,
  isAdmitted,
  type Outcome,
  type Principal,
  type Service,
  type Target,
  toFailure,
  type View,
  viewOf,
} from '../../core/index.ts'
import type { CallError } from '../../errors/index.ts'
import { answerStream } from '../../extensions/stream/index.ts'
import { type CallerKey, readCallerKey, toCredentials } from '../../net/index.ts'
import {
  andThen,
  extensionUrn,
  formatNear,
  isPromise,
  isRecord,
  type JsonObject,
  type Maybe,
  once,
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
  /** Whether there is an OpenAPI document to point to. */
  readonly isDescribed?: boolean
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
  const { prefix = '/api', isDescribed = false } = options
  const contracts = createContracts(service)
  const routes = createRoutes(service, contracts)
  const surface: RestParts = { contracts, nextId: createIds(), prefix }
  const named = createNamed(service)
  const cacheable = (version: Target) =>
    service.supports(CACHING) &&
    !version.system &&
    version.accepts(CACHING) &&
    version.stateChanges.length === 0

  function route(request: HttpRequest, principal: Principal | undefined): Maybe<HttpResponse> {
    const path = request.path.slice(prefix.length)
    const target = decodeTarget(path)
    const entry = target && service.registry.find(target.name)
    if (target === undefined || entry === undefined || !isThere(service, principal, entry)) {
      const found = routes.find(path)
      const shown = found && selectAdmitted(service, principal, found)
      if (shown !== undefined) return choose(request, path, shown, principal)
      const view = viewOf(service, principal)
      return refuse(404, explainAbsence(request, target, service, view, isDescribed))
    }
    const version = findPermitted(service, principal, findVersion(entry, target))
    if (request.method === 'POST' || version === undefined) {
      const streamType = decodeStreamType(request, version)
      const asked = { target, version, at: undefined, streamType, surface }
      return answer(service, request, principal, asked, options)
    }
    return choose(request, target.name, { methods: named(version), values: [] }, principal, target)
  }

  /** Picks the function that a method means at a path. */
  function choose(
    request: HttpRequest,
    shown: string,
    { methods, values }: RestRoute,
    principal: Principal | undefined,
    wanted?: RestTarget,
  ): Maybe<HttpResponse> {
    const end = methods.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (end === undefined) return refuseMethod(request, shown, methods)
    const { target, address } = end
    const version = findPermitted(service, principal, target)
    const conditional = address.method === 'GET' && cacheable(target)
    const asked: Asked = {
      // A path of its own means one version.
      target: wanted ?? { name: target.name, version: target.version },
      version,
      at: version && { address, values, conditional },
      streamType: decodeStreamType(request, version),
      surface,
    }
    return answer(service, request, principal, asked, options)
  }

  // Who calls comes first: what exists is nobody's business who may not know.
  function identify(request: HttpRequest): Maybe<HttpResponse> {
    const { log } = service
    const fail = (thrown: unknown) => encodeFailure(toFailure(thrown, { log }), undefined, service)
    try {
      const principal = service.authenticate?.(toCredentials(request, 'rest'))
      return isPromise(principal)
        ? principal.then((known) => route(request, known)).catch(fail)
        : route(request, principal)
    } catch (thrown) {
      return fail(thrown)
    }
  }

  // A function of its own: closures cost those calls nothing that need none.
  function handleRest(request: HttpRequest): Maybe<HttpResponse> {
    return service.authenticate === undefined ? route(request, undefined) : identify(request)
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

/** Leaves out the methods of functions that a caller may not know of; undefined when there are no others. */
function selectAdmitted(
  service: Service,
  principal: Principal | undefined,
  { methods, values }: RestRoute,
): RestRoute | undefined {
  const shown = [...methods].filter(([, { target }]) => isAdmitted(service, principal, target))
  return shown.length === 0 ? undefined : { methods: new Map(shown), values }
}

/** A bare loop: it runs with every call. */
function isThere(
  service: Service,
  principal: Principal | undefined,
  { ordered }: FunctionEntry,
): boolean {
  for (let index = 0; index < ordered.length; index += 1) {
    const target = ordered[index]
    if (target && !target.system && isAdmitted(service, principal, target)) return true
  }
  return false
}

/** The arguments of a function are not told to whoever may not call it. */
function findPermitted(
  service: Service,
  principal: Principal | undefined,
  version: Target | undefined,
): Target | undefined {
  return version === undefined || viewOf(service, principal).permits(version) ? version : undefined
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
  principal: Principal | undefined,
  asked: Asked,
  options: RestOptions,
): Maybe<HttpResponse> {
  let call: Call | undefined
  const fail = (thrown: unknown): HttpResponse =>
    encodeFailure(toFailure(thrown, { call, log: service.log }), call, service)
  const runWith = (ucp?: JsonObject): Maybe<HttpResponse> => {
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
    const header = options.admit && request.header('ucp-agent')
    if (options.admit === undefined || header === undefined) {
      const response = runWith()
      return isPromise(response) ? response.catch(fail) : response
    }
    // Nothing is fetched for a caller who was not let in.
    const caller = readCallerKey(options.callerKey, request, principal)
    return options
      .admit({ header }, asked.target.name, caller)
      .then((admission) =>
        admission.admitted ? runWith(admission.ucp) : encodeRefusal(admission.refusal),
      )
      .catch(fail)
  } catch (thrown) {
    return fail(thrown)
  }
}

/** Whatever needs a closure is a function of its own: most calls need none, and each costs every call. */
function run(
  service: Service,
  call: Call,
  asked: Asked,
  ucp: JsonObject | undefined,
  request: HttpRequest,
): Maybe<HttpResponse> {
  if (asked.streamType !== undefined) return runStream(service, call, asked, ucp)
  const outcome = dispatch(service, call, 'rest')
  return isPromise(outcome)
    ? encodeLater(service, call, asked, ucp, request, outcome)
    : encode(outcome, service, call, asked, ucp, request)
}

function encode(
  outcome: Outcome,
  service: Service,
  call: Call,
  asked: Asked,
  ucp: JsonObject | undefined,
  request: HttpRequest,
): HttpResponse {
  return (
    encodeFile(outcome, asked.version, request, call.reply) ??
    encodeOutcome(withNegotiated(outcome, ucp, call, asked), call, service, asked)
  )
}

function encodeLater(
  service: Service,
  call: Call,
  asked: Asked,
  ucp: JsonObject | undefined,
  request: HttpRequest,
  outcome: Promise<Outcome>,
): Promise<HttpResponse> {
  return outcome.then((ready) => encode(ready, service, call, asked, ucp, request))
}

function runStream(
  service: Service,
  call: Call,
  asked: Asked,
  ucp: JsonObject | undefined,
): Maybe<HttpResponse> {
  const { streamType = 'application/jsonl', version } = asked
  const format = createStreamFormat(service, call, streamType, version?.definition.resume)
  return answerStream(service, call, format, (streaming) =>
    andThen(dispatch(service, streaming, 'rest'), (outcome) =>
      withNegotiated(outcome, ucp, call, asked),
    ),
  )
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
  view: View,
  isDescribed: boolean,
): string {
  const hint = target === undefined ? '' : formatNear(findNear(registry, target.name, view))
  const further = isDescribed ? `${hint === '' ? ';' : ''} see /openapi.json` : ''
  return `No function at ${path.slice(0, 200)}${hint}${further}`
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
