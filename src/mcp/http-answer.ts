import { isPromise, type Maybe } from '../core/maybe.ts'
import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import {
  createEventStream,
  EVENT_STREAM_HEADERS,
  type EventStream,
  encodeEvent,
} from '../wire/sse.ts'
import { encodeResult } from './encode.ts'
import { encodeError, type McpError } from './errors.ts'
import type { Encoded } from './methods.ts'
import type { RequestId } from './protocol.ts'

const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

/** One request over HTTP, and how to answer it. */
export interface HttpAnswering {
  readonly request: HttpRequest
  readonly id: RequestId
  readonly keepAliveMs: number
  /** Does the work; what it pushes reaches the client before the result. */
  readonly work: (push: (message: string) => void) => Maybe<Encoded>
  readonly toError: (thrown: unknown) => McpError
  /** Tells whether the client has taken the request back: then it gets no answer. */
  readonly cancelled?: () => boolean
}

/** Answers with one JSON document, or with a stream as soon as there is something to say before the result. */
export function answerHttp(answering: HttpAnswering): Maybe<HttpResponse> {
  const { request, id, work, toError } = answering
  const early: string[] = []
  let stream: EventStream | undefined
  let open: (() => void) | undefined
  const push = (message: string): void => {
    if (stream !== undefined) stream.push(encodeMessage(message))
    else {
      early.push(message)
      open?.()
    }
  }
  let result: Maybe<Encoded>
  try {
    result = work(push)
  } catch (thrown) {
    return encodeFailure(id, toError(thrown))
  }
  if (!isPromise(result)) {
    return early.length > 0 && acceptsStream(request)
      ? encodeEvents([...early, toText(id, result)])
      : encodeSuccess(id, result)
  }
  const later = result
  return new Promise((resolve) => {
    open = () => {
      if (stream !== undefined || !acceptsStream(request)) return
      stream = createEventStream(answering.keepAliveMs)
      for (const message of early) stream.push(encodeMessage(message))
      request.signal().addEventListener('abort', stream.end, { once: true })
      resolve({ status: 200, headers: EVENT_STREAM_HEADERS, body: stream })
    }
    if (early.length > 0) open()
    // Whoever waits longer than this gets a stream, so that nobody on the way takes the silence for an end.
    const timer = setTimeout(open, answering.keepAliveMs)
    const finish = (text: () => string, whole: () => HttpResponse): void => {
      clearTimeout(timer)
      if (answering.cancelled?.()) {
        if (stream === undefined) resolve(encodeEvents([]))
        else stream.end()
      } else if (stream === undefined) resolve(whole())
      else {
        stream.push(encodeMessage(text()))
        stream.end()
      }
    }
    later.then(
      (ready) => {
        finish(
          () => toText(id, ready),
          () => encodeSuccess(id, ready),
        )
      },
      (thrown: unknown) => {
        const error = toError(thrown)
        finish(
          () => encodeError(id, error),
          () => encodeFailure(id, error),
        )
      },
    )
  })
}

/** Answers a request that failed. */
export function encodeFailure(id: RequestId | undefined, error: McpError): HttpResponse {
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
  if (typeof result === 'string') return { status: 200, headers, body: encodeResult(id, result) }
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

/** Writes a JSON-RPC message as an event. */
export function encodeMessage(message: string): string {
  return encodeEvent('message', message)
}

/** Writes the answer to a request, as text. */
export function toText(id: RequestId, result: Encoded): string {
  return encodeResult(id, typeof result === 'string' ? result : Buffer.from(result).toString())
}
