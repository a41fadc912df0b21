import { identifyReader, type Principal, type Service } from '../../core/index.ts'
import type { CallError } from '../../errors/index.ts'
import { createGuard, type GuardOptions, toCredentials } from '../../net/index.ts'
import { andThen, isPromise, type JsonObject, type Maybe } from '../../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../wire/index.ts'
import { toUnauthorized } from './authorization.ts'
import { decodeMessage, type Message, readDocument, readMeta } from './decode.ts'
import type { McpOptions } from './environment.ts'
import { McpError, RPC, toMcpError, toRefusal } from './errors.ts'
import { encodeErrorResponse } from './http/answer.ts'
import { createLegacyHttp, type LegacyHttp } from './http/legacy.ts'
import { answerModern } from './http/modern.ts'
import { LEGACY_VERSIONS, META, type RequestId } from './protocol.ts'
import { createMcpServer, type McpServer } from './server.ts'
import type { SessionOptions } from './session/sessions.ts'

/** How a service is offered to agents over HTTP. */
export interface McpHandlerOptions extends McpOptions, GuardOptions {
  /** Sessions of clients before 2026-07-28; `false` serves them without any. */
  readonly sessions?: SessionOptions | false
}

/** Serves MCP over HTTP. */
export interface McpHandler {
  (request: HttpRequest): Maybe<HttpResponse>
  /** Ends open streams and sessions. */
  readonly close: () => void
}

/** Serves a service over MCP, streamable HTTP, to clients of every revision. */
export function createMcpHandler(service: Service, options: McpHandlerOptions = {}): McpHandler {
  const inside = createUnguardedHandler(service, options)
  return Object.assign(withGuard(inside, options), { close: inside.close })
}

/** Does the same behind an app that has judged the Host of every request, and the site of each that is sent. */
export function createMountedHandler(service: Service, options: McpHandlerOptions): McpHandler {
  const inside = createUnguardedHandler(service, options)
  const guarded = withGuard(inside, options)
  const handle: HttpHandler = (request) =>
    request.method === 'POST' && judgeMissingHost(request) === undefined
      ? inside(request)
      : guarded(request)
  return Object.assign(handle, { close: inside.close })
}

function withGuard(inside: HttpHandler, options: GuardOptions): HttpHandler {
  const guard = createGuard(options)
  return (request) => {
    const refusal =
      judgeMissingHost(request) ?? guard.judgeHost(request) ?? guard.judgeSite(request)
    if (refusal !== undefined) return encodeRefusal(refusal)
    const response = guard.preflight(request) ?? inside(request)
    return andThen(response, (ready) => guard.share(request, ready))
  }
}

function createUnguardedHandler(service: Service, options: McpHandlerOptions): McpHandler {
  const server = createMcpServer(service, options)
  const legacy = createLegacyHttp(server, options.sessions)

  function route(request: HttpRequest): Maybe<HttpResponse> {
    let id: RequestId | undefined
    const fail = (thrown: unknown) => encodeErrorResponse(id, toMcpError(thrown, service.log))
    try {
      if (request.method === 'GET' || request.method === 'DELETE') {
        const answer = asPrincipal(service, options, request, undefined, (principal) =>
          legacy.withoutBody(request, principal),
        )
        return isPromise(answer) ? answer.catch(fail) : answer
      }
      if (request.method !== 'POST') return encodeMethodRefusal()
      const document = readDocument(request, service, (known) => {
        id = known
      })
      const message = Array.isArray(document) ? undefined : decodeMessage(document)
      const method = message?.kind === 'response' ? undefined : message?.method
      const answer = asPrincipal(service, options, request, method, (principal) =>
        message === undefined
          ? legacy.receiveBatch(request, document as readonly unknown[], principal)
          : receive(server, legacy, { request, message, principal }),
      )
      return isPromise(answer) ? answer.catch(fail) : answer
    } catch (thrown) {
      return fail(thrown)
    }
  }

  return Object.assign(route, {
    close() {
      legacy.close()
      server.close()
    },
  })
}

/** Answers a request that is refused before anybody reads it. */
export function refuseMcp(error: CallError): HttpResponse {
  return encodeErrorResponse(undefined, toRefusal(error))
}

/** A message over HTTP, and who sent it. */
export interface Incoming {
  readonly request: HttpRequest
  readonly message: Message
  readonly principal: Principal | undefined
}

function receive(server: McpServer, legacy: LegacyHttp, incoming: Incoming): Maybe<HttpResponse> {
  const { request, message, principal } = incoming
  if (message.kind === 'response' || !isModern(request, message.params)) {
    return legacy.receive(incoming)
  }
  if (message.kind === 'notification') return { status: 202, headers: {}, body: '' }
  return answerModern(server, request, message, principal)
}

/** A request that says which stateless revision it speaks is one; everything else began with `initialize`. */
function isModern({ header }: HttpRequest, params: JsonObject): boolean {
  if (readMeta(params)[META.version] !== undefined) return true
  const version = header('mcp-protocol-version')
  return version !== undefined && !LEGACY_VERSIONS.includes(version)
}

/** What clients send before and while they look around: where discovery is public, nobody has to say who they are. */
const READS: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/initialized',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
])

function asPrincipal(
  service: Service,
  { authorization }: McpHandlerOptions,
  request: HttpRequest,
  method: string | undefined,
  next: (principal: Principal | undefined) => Maybe<HttpResponse>,
): Maybe<HttpResponse> {
  // A function of its own: closures cost those calls nothing that need none.
  return service.authenticate === undefined
    ? next(undefined)
    : identify(service, authorization, request, method, next)
}

function identify(
  service: Service,
  authorization: McpHandlerOptions['authorization'],
  request: HttpRequest,
  method: string | undefined,
  next: (principal: Principal | undefined) => Maybe<HttpResponse>,
): Maybe<HttpResponse> {
  const { challenge, log } = service
  const refuse = (thrown: unknown): never => {
    const hasToken = request.header('authorization') !== undefined
    if (hasToken) log.warn('a caller was refused', { error: thrown })
    throw toUnauthorized(thrown, authorization, { hasToken, challenge })
  }
  const credentials = toCredentials(request, 'mcp')
  let principal: Maybe<Principal | undefined>
  try {
    principal =
      method !== undefined && READS.has(method)
        ? identifyReader(service, credentials)
        : service.authenticate?.(credentials)
  } catch (thrown) {
    return refuse(thrown)
  }
  return isPromise(principal) ? principal.catch(refuse).then(next) : next(principal)
}

/** Stricter than the shared guard: a handler that somebody mounts alone cannot know who vouches for the sender. */
function judgeMissingHost({ header }: HttpRequest): string | undefined {
  return (header('host') ?? header(':authority')) === undefined
    ? 'The request has no Host header'
    : undefined
}

function encodeRefusal(reason: string): HttpResponse {
  return encodeErrorResponse(undefined, new McpError(RPC.invalidRequest, reason, { status: 403 }))
}

function encodeMethodRefusal(): HttpResponse {
  const error = new McpError(RPC.invalidRequest, 'MCP messages are sent with POST', {
    status: 405,
    headers: { allow: 'POST, GET, DELETE' },
  })
  return encodeErrorResponse(undefined, error)
}
