import type { Principal } from '../core/call.ts'
import { isPromise, type Maybe } from '../core/maybe.ts'
import type { HttpRequest } from '../wire/http.ts'
import { type Abortable, createAbortable } from './abortable.ts'
import { type Message, readMeta } from './decode.ts'
import { McpError, toMcpError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import {
  type AnswerStream,
  acceptsStream,
  answerOne,
  type Outlet,
  type RequestAnswer,
} from './http-answer.ts'
import { connectStream } from './http-listen.ts'
import type { Encoded } from './methods.ts'
import { encodeNotification } from './peer.ts'
import { POLLING_VERSION, UNSPOKEN_VERSION } from './protocol.ts'
import type { McpServer } from './server.ts'
import type { Session } from './sessions.ts'

/** A request that runs for a client before 2026-07-28. */
export type LegacyRequest = Extract<Message, { readonly kind: 'request' }>

/** Where messages of a client before 2026-07-28 come from. */
export interface LegacyOrigin {
  readonly server: McpServer
  readonly request: HttpRequest
  readonly session: Session | undefined
  readonly principal: Principal | undefined
}

/** Gives the revision that a client speaks. */
export function versionOf({ session, request }: Pick<LegacyOrigin, 'session' | 'request'>): string {
  return session?.introduction.version ?? request.header('mcp-protocol-version') ?? UNSPOKEN_VERSION
}

/** Creates what stops a request: its client leaves, or takes it back. */
export function createRunning({ request }: LegacyOrigin): Abortable {
  return createAbortable(request.signal)
}

/** Runs one request; what it throws becomes its answer. */
export function runRequest(
  origin: LegacyOrigin,
  message: LegacyRequest,
  running: Abortable,
  outlet: Outlet,
): Maybe<RequestAnswer> {
  const { server, session } = origin
  const { log } = server.environment.service
  return answerOne(
    message.id,
    (): Maybe<Encoded> => {
      const result = server.answer(toExchange(origin, message, running, outlet))
      if (!isPromise(result) || session === undefined) return result
      session.peer.track(message.id, running)
      return result.finally(() => session.peer.forget(message.id))
    },
    (thrown) => toLegacyError(toMcpError(thrown, log)),
  )
}

function toExchange(
  origin: LegacyOrigin,
  { id, method, params }: LegacyRequest,
  running: Abortable,
  { push, release }: Outlet,
): Exchange {
  const { server, request, session, principal } = origin
  const version = versionOf(origin)
  return {
    id,
    method,
    params,
    meta: readMeta(params),
    era: 'legacy',
    version,
    capabilities: session?.introduction.capabilities ?? {},
    caller: session?.introduction.caller,
    principal,
    callerKey: () => server.environment.callerKey(request, principal),
    startedAt: server.environment.service.clock.elapsed(),
    signal: running.signal,
    notify: (name, content) => push(encodeNotification(name, content)),
    request:
      session !== undefined && acceptsStream(request)
        ? (name, content, signal) =>
            session.peer.request({ method: name, params: content }, push, signal)
        : undefined,
    release: version === POLLING_VERSION ? release : undefined,
    peer: session?.peer,
  }
}

/** Opens a stream that goes on when its connection breaks: the calls belong to it from now on. */
export function openAnswerStream(
  { server, request }: LegacyOrigin,
  { streams }: Session,
  running: readonly Abortable[],
): AnswerStream {
  const stream = streams.open('answer', server.environment.keepAliveMs, ({ finished }) => {
    if (!finished) for (const abortable of running) abortable.abort()
  })
  const response = connectStream(request, stream, 0)
  for (const abortable of running) abortable.detach()
  return { response, push: stream.push, finish: stream.finish, release: stream.release }
}

/** Takes a message that gets no answer. */
export function takeMessage(
  session: Session | undefined,
  message: Exclude<Message, { readonly kind: 'request' }>,
): void {
  if (message.kind === 'response') session?.peer.settle(message)
  else if (message.method === 'notifications/cancelled') {
    session?.peer.cancel(message.params['requestId'])
  }
}

/** Before 2026-07-28 a status other than 200 means that the transport failed. */
function toLegacyError(error: McpError): McpError {
  if (error.status !== 404) return error
  return new McpError(error.code, error.message, error.data && { data: error.data })
}
