import type { Principal } from '../core/call.ts'
import { isPromise, type Maybe } from '../core/maybe.ts'
import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import { createEventStream, EVENT_STREAM_HEADERS } from '../wire/sse.ts'
import { createAbortable } from './abortable.ts'
import { type Message, readMeta } from './decode.ts'
import { invalidRequest, McpError, RPC, sessionNotFound, toMcpError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { acceptsStream, answerHttp, encodeMessage, encodeSuccess } from './http-answer.ts'
import { encodeNotification } from './peer.ts'
import { followChanges } from './peer-changes.ts'
import { LEGACY_VERSIONS, MODERN_VERSION } from './protocol.ts'
import type { McpServer } from './server.ts'
import { createSessions, type Session, type SessionOptions } from './sessions.ts'

type Request = Extract<Message, { readonly kind: 'request' }>

/** A message of a client before 2026-07-28. */
interface LegacyMessage {
  readonly request: HttpRequest
  readonly message: Message
  readonly principal: Principal | undefined
}

/** Speaks the revisions that begin with `initialize`. */
export interface LegacyHttp {
  readonly receive: (incoming: LegacyMessage) => Maybe<HttpResponse>
  /** GET opens a stream for what belongs to no request, DELETE ends the session. */
  readonly withoutBody: (request: HttpRequest, principal: Principal | undefined) => HttpResponse
  readonly close: () => void
}

const MOST_STREAMS = 4
const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: '' }

/** Creates what speaks to clients before 2026-07-28. */
export function createLegacyHttp(
  server: McpServer,
  options: SessionOptions | false | undefined,
): LegacyHttp {
  const { environment } = server
  const { seal, service } = environment
  const sessions = options === false ? undefined : createSessions(seal, service.clock, options)

  function requireSession(
    { header }: HttpRequest,
    principal: Principal | undefined,
  ): Session | undefined {
    const version = header('mcp-protocol-version')
    if (version !== undefined && !LEGACY_VERSIONS.includes(version)) {
      throw invalidRequest(`MCP-Protocol-Version ${version.slice(0, 50)} is not supported`)
    }
    const id = sessions === undefined ? undefined : header('mcp-session-id')
    if (id === undefined) return undefined
    const session = sessions?.find(id, principal?.id ?? '')
    if (session === undefined) throw sessionNotFound()
    return session
  }

  return {
    receive({ request, message, principal }) {
      if (message.kind === 'request' && message.method === 'initialize') {
        const { introduction, result } = server.introduce(message.params)
        const session = sessions?.open(introduction, principal?.id ?? '')
        return encodeSuccess(message.id, result, {
          'content-type': 'application/json',
          ...(session && { 'mcp-session-id': session.id }),
        })
      }
      const session = requireSession(request, principal)
      if (message.kind === 'request') return answer(server, request, message, session, principal)
      if (message.kind === 'response') session?.peer.settle(message)
      else if (message.method === 'notifications/cancelled') {
        session?.peer.cancel(message.params['requestId'])
      }
      return ACCEPTED
    },
    withoutBody(request, principal) {
      // The stateless revision has neither GET nor DELETE.
      if (request.header('mcp-protocol-version') === MODERN_VERSION) {
        throw needsSession(request.method)
      }
      const session = requireSession(request, principal)
      if (session === undefined) throw needsSession(request.method)
      if (request.method === 'GET') return openStream(server, request, session)
      sessions?.end(session.id, principal?.id ?? '')
      return { status: 204, headers: {}, body: '' }
    },
    close: () => sessions?.close(),
  }
}

function answer(
  server: McpServer,
  request: HttpRequest,
  { id, method, params }: Request,
  session: Session | undefined,
  principal: Principal | undefined,
): Maybe<HttpResponse> {
  const { service, keepAliveMs } = server.environment
  // Streams cannot be taken up again here: a client that leaves will never read the answer.
  const running = createAbortable(request.signal)
  return answerHttp({
    request,
    id,
    keepAliveMs,
    toError: (thrown) => toLegacyError(toMcpError(thrown, service.log)),
    cancelled: running.aborted,
    work: (push) => {
      const exchange: Exchange = {
        id,
        method,
        params,
        meta: readMeta(params),
        era: 'legacy',
        capabilities: session?.introduction.capabilities ?? {},
        caller: session?.introduction.caller,
        principal,
        startedAt: service.clock.elapsed(),
        signal: running.signal,
        notify: (name, content) => push(encodeNotification(name, content)),
        request:
          session !== undefined && acceptsStream(request)
            ? (name, content, signal) =>
                session.peer.request({ method: name, params: content }, push, signal)
            : undefined,
        peer: session?.peer,
      }
      const result = server.answer(exchange)
      if (!isPromise(result) || session === undefined) return result
      session.peer.track(id, running)
      return result.finally(() => session.peer.forget(id))
    },
  })
}

/** Before 2026-07-28 a status other than 200 means that the transport failed. */
function toLegacyError(error: McpError): McpError {
  if (error.status !== 404) return error
  return new McpError(error.code, error.message, error.data && { data: error.data })
}

function openStream(server: McpServer, request: HttpRequest, session: Session): HttpResponse {
  if (!acceptsStream(request)) {
    throw new McpError(RPC.invalidRequest, 'GET answers with text/event-stream only', {
      status: 406,
    })
  }
  const { environment } = server
  for (const oldest of session.streams) {
    if (session.streams.size < MOST_STREAMS) break
    oldest.end()
  }
  const stop = followChanges(environment, session.peer, (message) => {
    if ([...session.streams].at(-1) === stream) stream.push(encodeMessage(message))
  })
  const stream = createEventStream(environment.keepAliveMs, () => {
    stop()
    session.streams.delete(stream)
  })
  session.streams.add(stream)
  request.signal().addEventListener('abort', stream.end, { once: true })
  return { status: 200, headers: EVENT_STREAM_HEADERS, body: stream }
}

function needsSession(method: string): McpError {
  return new McpError(
    RPC.invalidRequest,
    `${method} needs the Mcp-Session-Id that initialize gave; MCP messages are sent with POST`,
    { status: 405, headers: { allow: 'POST' } },
  )
}
