import type { Principal } from '../../../core/index.ts'
import type { Maybe } from '../../../values/index.ts'
import type { HttpRequest, HttpResponse } from '../../../wire/index.ts'
import type { Message } from '../decode.ts'
import { invalidRequest, McpError, RPC, sessionNotFound } from '../errors.ts'
import { LEGACY_VERSIONS, MODERN_VERSION } from '../protocol.ts'
import type { McpServer } from '../server.ts'
import { createSessions, type McpSession, type SessionOptions } from '../session/sessions.ts'
import { answerHttp, encodeSuccess, ONE_ANSWER } from './answer.ts'
import {
  answerBatch,
  createRunning,
  type LegacyOrigin,
  type LegacyRequest,
  openAnswerStream,
  runRequest,
  takeMessage,
} from './batch.ts'
import { listenHttp } from './listen.ts'

/** A message of a client before 2026-07-28. */
interface LegacyMessage {
  readonly request: HttpRequest
  readonly message: Message
  readonly principal: Principal | undefined
}

/** Speaks the revisions that begin with `initialize`. */
export interface LegacyHttp {
  readonly receive: (incoming: LegacyMessage) => Maybe<HttpResponse>
  /** Takes several messages that came as one. */
  readonly receiveBatch: (
    request: HttpRequest,
    documents: readonly unknown[],
    principal: Principal | undefined,
  ) => Maybe<HttpResponse>
  /** GET opens a stream for what belongs to no request, DELETE ends the session. */
  readonly withoutBody: (request: HttpRequest, principal: Principal | undefined) => HttpResponse
  readonly close: () => void
}

const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: '' }

/** Creates what speaks to clients before 2026-07-28. */
export function createLegacyHttp(
  server: McpServer,
  options: SessionOptions | false | undefined,
): LegacyHttp {
  const { environment } = server
  const { seal, service, callerKey } = environment
  const sessions = options === false ? undefined : createSessions(seal, service.clock, options)

  function requireSession(
    request: HttpRequest,
    principal: Principal | undefined,
  ): McpSession | undefined {
    const { header } = request
    const version = header('mcp-protocol-version')
    if (version !== undefined && !LEGACY_VERSIONS.includes(version)) {
      throw invalidRequest(`MCP-Protocol-Version ${version.slice(0, 50)} is not supported`)
    }
    const id = sessions === undefined ? undefined : header('mcp-session-id')
    if (id === undefined) return undefined
    const session = sessions?.find(id, principal?.id ?? '', callerKey(request, principal))
    if (session === undefined) throw sessionNotFound()
    return session
  }

  return {
    receive({ request, message, principal }) {
      if (message.kind === 'request' && message.method === 'initialize') {
        const { introduction, result } = server.introduce(message.params)
        const session = sessions?.open(
          introduction,
          principal?.id ?? '',
          callerKey(request, principal),
        )
        return encodeSuccess(message.id, result, {
          'content-type': 'application/json',
          ...(session && { 'mcp-session-id': session.id }),
        })
      }
      const session = requireSession(request, principal)
      if (message.kind === 'request') {
        return answer({ server, request, session, principal }, message)
      }
      takeMessage(session, message)
      return ACCEPTED
    },
    receiveBatch(request, documents, principal) {
      // A revision without sessions has no batches either; that is what its clients should be told.
      const stateless = request.header('mcp-protocol-version') === MODERN_VERSION
      const session = stateless ? undefined : requireSession(request, principal)
      return answerBatch({ server, request, session, principal }, documents)
    },
    withoutBody(request, principal) {
      // The stateless revision has neither GET nor DELETE.
      if (request.header('mcp-protocol-version') === MODERN_VERSION) {
        throw needsSession(request.method)
      }
      const session = requireSession(request, principal)
      if (session === undefined) throw needsSession(request.method)
      if (request.method === 'GET') return listenHttp(server, request, session)
      sessions?.end(session.id, principal?.id ?? '')
      return { status: 204, headers: {}, body: '' }
    },
    close: () => sessions?.close(),
  }
}

function answer(origin: LegacyOrigin, message: LegacyRequest): Maybe<HttpResponse> {
  const { server, request, session } = origin
  const running = createRunning(origin)
  return answerHttp({
    request,
    keepAliveMs: server.environment.keepAliveMs,
    encoding: ONE_ANSWER,
    cancelled: running.aborted,
    work: (outlet) => runRequest(origin, message, running, outlet),
    openStream: session && (() => openAnswerStream(origin, session, [running])),
  })
}

function needsSession(method: string): McpError {
  return new McpError(
    RPC.invalidRequest,
    `${method} needs the Mcp-Session-Id that initialize gave; MCP messages are sent with POST`,
    { status: 405, headers: { allow: 'POST' } },
  )
}
