import type { Principal } from '../../../core/index.ts'
import { type Abortable, isPromise, type Maybe } from '../../../values/index.ts'
import type { HttpRequest, HttpResponse } from '../../../wire/index.ts'
import { decodeMessage, type Message, readId, readMeta } from '../decode.ts'
import { encodeError, invalidRequest, McpError, toMcpError } from '../errors.ts'
import {
  BATCH_VERSION,
  type Encoded,
  type McpExchange,
  POLLING_VERSION,
  type RequestId,
  UNSPOKEN_VERSION,
} from '../protocol.ts'
import { createCancellable } from '../run.ts'
import type { McpServer } from '../server.ts'
import { encodeNotification } from '../session/peer.ts'
import type { McpSession } from '../session/sessions.ts'
import {
  type AnswerEncoding,
  type AnswerOutlet,
  type AnswerStream,
  acceptsStream,
  answerHttp,
  answerOne,
  ONE_ANSWER,
  type RequestAnswer,
} from './answer.ts'
import { connectStream } from './listen.ts'

/** One of several messages that came as one, or what is wrong with it. */
export type BatchEntry =
  | { readonly message: Message }
  | { readonly id: RequestId | undefined; readonly error: unknown }

const MOST_ENTRIES = 100

/** Reads several messages that came as one; throws where the revision has no such thing, or they are too many. */
export function decodeBatch(
  documents: readonly unknown[],
  version: string | undefined,
): readonly BatchEntry[] {
  if (version !== BATCH_VERSION) {
    throw invalidRequest(
      `Batches exist in revision ${BATCH_VERSION} only; send one message per request`,
    )
  }
  if (documents.length === 0) throw invalidRequest('A batch must have at least one message')
  if (documents.length > MOST_ENTRIES) {
    throw invalidRequest(`A batch may have at most ${MOST_ENTRIES} messages`)
  }
  return documents.map(toEntry)
}

function toEntry(document: unknown): BatchEntry {
  try {
    const message = decodeMessage(document)
    if (message.kind !== 'request' || message.method !== 'initialize') return { message }
    return { id: message.id, error: invalidRequest('initialize cannot be part of a batch') }
  } catch (error) {
    return { id: readId(document), error }
  }
}

/** A request that runs for a client before 2026-07-28. */
export type LegacyRequest = Extract<Message, { readonly kind: 'request' }>

/** Where messages of a client before 2026-07-28 come from. */
export interface LegacyOrigin {
  readonly server: McpServer
  readonly request: HttpRequest
  readonly session: McpSession | undefined
  readonly principal: Principal | undefined
}

/** Gives the revision that a client speaks. */
export function versionOf({ session, request }: Pick<LegacyOrigin, 'session' | 'request'>): string {
  return session?.introduction.version ?? request.header('mcp-protocol-version') ?? UNSPOKEN_VERSION
}

/** Creates what stops a request: its client leaves, or takes it back. */
export function createRunning({ request }: LegacyOrigin): Abortable {
  return createCancellable(request.signal)
}

/** Runs one request; what it throws becomes its answer. */
export function runRequest(
  origin: LegacyOrigin,
  message: LegacyRequest,
  running: Abortable,
  outlet: AnswerOutlet,
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
  { push, release }: AnswerOutlet,
): McpExchange {
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
  { streams }: McpSession,
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
  session: McpSession | undefined,
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

/** Answers several messages that came as one: one answer per request, and none when there is no request. */
export function answerBatch(
  origin: LegacyOrigin,
  documents: readonly unknown[],
): Maybe<HttpResponse> {
  const { server, request, session } = origin
  const entries = decodeBatch(documents, versionOf(origin))
  const running = entries.map(() => createRunning(origin))

  const run = (
    entry: BatchEntry,
    index: number,
    outlet: AnswerOutlet,
  ): Maybe<readonly string[]> => {
    if ('error' in entry) {
      return [encodeError(entry.id, toMcpError(entry.error, server.environment.service.log))]
    }
    if (entry.message.kind !== 'request') {
      takeMessage(session, entry.message)
      return []
    }
    const abortable = running[index] ?? createRunning(origin)
    const answer = runRequest(origin, entry.message, abortable, outlet)
    // Who takes a request back gets no answer to it.
    const toTexts = (ready: RequestAnswer) =>
      abortable.aborted() ? [] : ONE_ANSWER.messages(ready)
    return isPromise(answer) ? answer.then(toTexts) : toTexts(answer)
  }

  return answerHttp({
    request,
    keepAliveMs: server.environment.keepAliveMs,
    encoding: BATCH,
    openStream: session && (() => openAnswerStream(origin, session, running)),
    work(outlet) {
      const texts = entries.map((entry, index) => run(entry, index, outlet))
      return texts.some(isPromise)
        ? Promise.all(texts).then((ready) => ready.flat())
        : (texts as readonly (readonly string[])[]).flat()
    },
  })
}

const BATCH: AnswerEncoding<readonly string[]> = {
  messages: (texts) => texts,
  whole: (texts) =>
    texts.length === 0
      ? { status: 202, headers: {}, body: '' }
      : {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: `[${texts.join(',')}]`,
        },
}
