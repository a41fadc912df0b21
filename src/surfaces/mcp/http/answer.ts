import { isPromise, type Maybe } from '../../../values/index.ts'
import {
  createEventStream,
  EVENT_STREAM_HEADERS,
  encodeEvent,
  type HttpRequest,
  type HttpResponse,
} from '../../../wire/index.ts'
import { encodeResultMessage } from '../encode.ts'
import { encodeError, type McpError } from '../errors.ts'
import type { Encoded, RequestId } from '../protocol.ts'

const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

/** How an answer is written: alone, or after other messages. */
export interface AnswerEncoding<Answer> {
  readonly whole: (answer: Answer) => HttpResponse
  readonly messages: (answer: Answer) => readonly string[]
}

/** What becomes of one request. */
export type RequestAnswer =
  | { readonly id: RequestId; readonly result: Encoded }
  | { readonly id: RequestId; readonly error: McpError }

/** Writes the answer to one request. */
export const ONE_ANSWER: AnswerEncoding<RequestAnswer> = {
  whole: (answer) =>
    'error' in answer
      ? encodeErrorResponse(answer.id, answer.error)
      : encodeSuccess(answer.id, answer.result),
  messages: (answer) => [
    'error' in answer
      ? encodeError(answer.id, answer.error)
      : encodeResultText(answer.id, answer.result),
  ],
}

/** A stream that an answer has opened. */
export interface AnswerStream {
  readonly response: HttpResponse
  /** Gives a promise while the client reads slowly. */
  readonly push: (message: string) => Maybe<void>
  readonly finish: () => void
  /** Lets the client go without ending the stream, where it knows that it has to come back. */
  readonly release?: () => void
}

/** What work may send before it is done. */
export interface AnswerOutlet {
  /** Gives a promise while the client reads slowly. */
  readonly push: (message: string) => Maybe<void>
  /** Lets the client go for a while: it comes back for the rest. */
  readonly release: () => void
}

/** A request over HTTP, and how to answer it. */
export interface HttpAnswering<Answer> {
  readonly request: HttpRequest
  readonly keepAliveMs: number
  /** Does the work and never fails; what it pushes reaches the client before the answer. */
  readonly work: (outlet: AnswerOutlet) => Maybe<Answer>
  readonly encoding: AnswerEncoding<Answer>
  /** Tells whether the client has taken everything back: then it gets no answer. */
  readonly cancelled?: () => boolean
  /** Opens the stream when there is a need for one; a stream that ends with its connection when absent. */
  readonly openStream?: (() => AnswerStream) | undefined
}

/** Answers with one JSON document, or with a stream as soon as there is something to say before the end. */
export function answerHttp<Answer>(answering: HttpAnswering<Answer>): Maybe<HttpResponse> {
  const { request, encoding } = answering
  const early: string[] = []
  let stream: AnswerStream | undefined
  let open: (() => void) | undefined
  let released = false
  let done = false
  const outlet: AnswerOutlet = {
    push(message) {
      if (stream !== undefined) return stream.push(message)
      if (done || !acceptsStream(request)) return
      early.push(message)
      open?.()
    },
    release() {
      released = true
      if (!done) open?.()
      stream?.release?.()
    },
  }
  const answer = answering.work(outlet)
  if (!isPromise(answer)) {
    done = true
    return early.length > 0 && acceptsStream(request)
      ? encodeEvents([...early, ...encoding.messages(answer)])
      : encoding.whole(answer)
  }
  return new Promise((resolve) => {
    open = () => {
      if (stream !== undefined || !acceptsStream(request)) return
      stream = answering.openStream?.() ?? openPlainStream(answering)
      resolve(stream.response)
      for (const message of early) void stream.push(message)
      if (released) stream.release?.()
    }
    if (early.length > 0 || released) open()
    // Whoever waits longer than this gets a stream, so that nobody on the way takes the silence for an end.
    const timer = setTimeout(open, answering.keepAliveMs)
    void answer.then((ready) => {
      done = true
      clearTimeout(timer)
      const cancelled = answering.cancelled?.() === true
      if (stream === undefined) {
        return resolve(cancelled ? encodeEvents([]) : encoding.whole(ready))
      }
      if (!cancelled) for (const message of encoding.messages(ready)) void stream.push(message)
      stream.finish()
    })
  })
}

function openPlainStream({
  request,
  keepAliveMs,
}: Pick<HttpAnswering<unknown>, 'request' | 'keepAliveMs'>): AnswerStream {
  const stream = createEventStream(keepAliveMs)
  request.signal().addEventListener('abort', stream.end, { once: true })
  return {
    response: { status: 200, headers: EVENT_STREAM_HEADERS, body: stream },
    push: (message) => stream.write(encodeMessage(message)),
    finish: stream.end,
  }
}

/** Does the work of one request: whatever it throws becomes its answer. */
export function answerOne(
  id: RequestId,
  work: () => Maybe<Encoded>,
  toError: (thrown: unknown) => McpError,
): Maybe<RequestAnswer> {
  try {
    const result = work()
    if (!isPromise(result)) return { id, result }
    return result.then(
      (ready) => ({ id, result: ready }),
      (thrown: unknown) => ({ id, error: toError(thrown) }),
    )
  } catch (thrown) {
    return { id, error: toError(thrown) }
  }
}

/** Answers a request that failed. */
export function encodeErrorResponse(id: RequestId | undefined, error: McpError): HttpResponse {
  return {
    status: error.status,
    headers: { ...JSON_HEADERS, ...error.headers },
    body: encodeError(id, error),
  }
}

/** Answers with a result. */
export function encodeSuccess(
  id: RequestId,
  result: Encoded,
  headers: Readonly<Record<string, string>> = JSON_HEADERS,
): HttpResponse {
  if (typeof result === 'string')
    return { status: 200, headers, body: encodeResultMessage(id, result) }
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`)
  return { status: 200, headers, body: Buffer.concat([head, result, CLOSING]) }
}

const CLOSING = Buffer.from('}')

/** Tells whether a client can read a stream of events. */
export function acceptsStream({ header }: HttpRequest): boolean {
  const accept = header('accept')
  return accept?.includes('text/event-stream') === true || accept?.includes('*/*') === true
}

function encodeEvents(messages: readonly string[]): HttpResponse {
  return {
    status: 200,
    headers: EVENT_STREAM_HEADERS,
    body: messages.map(encodeMessage).join(''),
  }
}

function encodeMessage(message: string): string {
  return encodeEvent('message', message)
}

/** Writes the answer to a request, as text. */
export function encodeResultText(id: RequestId, result: Encoded): string {
  return encodeResultMessage(
    id,
    typeof result === 'string' ? result : Buffer.from(result).toString(),
  )
}
