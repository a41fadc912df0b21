import { CallError } from '../errors/index.ts'
import { canonicalUrn, extensionUrn, openScope, untilAborted } from '../values/index.ts'
import { isEventStream, readEvents, type ServerEvent } from '../wire/index.ts'
import { decodeResponse } from './decode.ts'
import { encodeRequest, type OutgoingCall } from './encode.ts'
import { abortError, clientError, toCallError, toClientError, toThrown } from './errors.ts'
import { type Answer, toFailedAnswer } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import {
  type AttemptStart,
  assertTimeLeft,
  type CallSettings,
  READ_GRACE_MS,
  runAttempts,
  timeoutError,
  withInlineFiles,
  withRevivedFiles,
} from './run-call.ts'
import { createStreamDecoder } from './stream-decode.ts'
import type { TransportResponse } from './transport.ts'

/** How far a streamed call is. */
export interface StreamProgress {
  readonly current: number
  readonly total: number
  readonly percent: number
  readonly message?: string
}

/** How one streamed call is made; `timeoutMs` is the longest silence. */
export interface StreamOptions<Version = string> extends CallOptions<Version> {
  readonly onProgress?: ((progress: StreamProgress) => void) | undefined
  /** How many characters one event may have; 1 MiB when absent. */
  readonly maxEventLength?: number | undefined
}

/** The items of a streamed call; the request is sent when the first one is asked for, and leaving the loop ends the call. */
export interface CallStream<Item = unknown, Result = unknown> extends AsyncIterableIterator<Item> {
  /** Reads over what is left and gives the final result; throws a CallError when the call failed or was left. */
  readonly result: () => Promise<Result>
  readonly return: () => Promise<IteratorResult<Item>>
}

/** A streamed call on its way out. */
export interface OutgoingStream extends OutgoingCall {
  readonly options: StreamOptions
}

type End = { readonly result: unknown } | { readonly error: CallError }

/** Creates the stream of one call. */
export function createCallStream(
  settings: CallSettings,
  call: OutgoingStream,
  target: string,
): CallStream {
  const leaving = new AbortController()
  let end: End | undefined
  const items = produce()

  async function* produce(): AsyncGenerator<unknown, void> {
    try {
      end = { result: yield* readItems(settings, call, leaving.signal) }
    } catch (thrown) {
      const error = toClientError(thrown, 'CLIENT_CONNECTION_LOST')
      end = { error: toThrown(error, call.options, target) }
      throw end.error
    }
  }

  return {
    next: () => items.next(),
    return() {
      // Whoever waits for the next item hears of it, and so does the service.
      if (end === undefined) leaving.abort(left())
      return items.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async result() {
      while (!(await items.next()).done) {}
      end ??= { error: left() }
      if ('error' in end) throw end.error
      return end.result
    },
  }
}

async function* readItems(
  settings: CallSettings,
  call: OutgoingStream,
  leaving: AbortSignal,
): AsyncGenerator<unknown, unknown> {
  const { answer, id } = await runAttempts(settings, call, (start) =>
    attemptStream(settings, call, { ...start, sources: [...start.sources, leaving] }),
  )
  if ('events' in answer) {
    const decoder = createStreamDecoder({ id, now: settings.clock.now() }, call.options.onProgress)
    try {
      for await (const event of answer.events) {
        yield* decoder.take(event)
        if (decoder.complete()) answer.hurry()
      }
    } catch (thrown) {
      if (!decoder.complete()) throw thrown
    } finally {
      answer.close()
    }
    return decoder.result()
  }
  const { outcome, status, cause } = answer
  if (outcome.ok) return outcome.result
  // Whoever passes the refusal on has to know how it was sent.
  throw Object.assign(toCallError({ errors: outcome.errors, cause }), status && { status })
}

function left(): CallError {
  return new CallError('CANCELLED', { message: 'The caller closed the stream before its end' })
}

/** An answer whose events are still to come. */
export interface StreamAnswer extends Answer {
  readonly events: AsyncIterable<ServerEvent>
  /** Says that the last event is here: what follows can only be the end of the connection's use. */
  readonly hurry: () => void
  readonly close: () => void
}

const STREAM = extensionUrn('stream')
/** A connection that ends by itself can be used again; one that does not is given up. */
const CLOSING_MS = 100
const ACCEPT = 'text/event-stream, application/json'

/** Makes one attempt of a streamed call; what the service answers in one piece is an ordinary answer. */
export async function attemptStream(
  settings: CallSettings,
  call: OutgoingStream,
  { id, budget, sources }: AttemptStart,
): Promise<StreamAnswer | Answer> {
  const { clock, createSpanId, name: caller } = settings
  const { maxEventLength, timeoutMs = settings.timeoutMs } = call.options
  const remainingMs = budget.remaining()
  const silence = new AbortController()
  const scope = openScope([...sources, silence.signal], toTimer(remainingMs))
  const { signal } = scope
  const { close } = scope
  const live = { signal, timeoutMs, onSilence: () => silence.abort(timeoutError(timeoutMs)) }
  try {
    if (signal.aborted) throw abortError(signal)
    assertTimeLeft(remainingMs)
    const { body, headers } = encodeRequest(askForStream(await withInlineFiles(call)), {
      id,
      remainingMs,
      createSpanId,
      caller,
    })
    const request = { body, headers: { ...headers, accept: ACCEPT }, signal, streams: true }
    const response = await withPatience(live, () => settings.transport(request))
    if (isEventStream(response.header('content-type'))) {
      const events = readLive(response, live, maxEventLength)
      const hurry = () => {
        live.timeoutMs = CLOSING_MS
      }
      return { outcome: { ok: true, result: null }, extensions: [], meta: {}, events, hurry, close }
    }
    const answer = await withRevivedFiles(
      decodeResponse(response, { id, bare: false, now: clock.now() }),
    )
    close()
    return answer
  } catch (thrown) {
    const error = signal.aborted
      ? abortError(signal)
      : toClientError(thrown, 'CLIENT_CONNECTION_LOST')
    close()
    return toFailedAnswer(error)
  }
}

function toTimer(remainingMs: number | undefined): Parameters<typeof openScope>[1] {
  if (remainingMs === undefined) return undefined
  const afterMs = remainingMs + READ_GRACE_MS
  return { afterMs, reason: () => timeoutError(afterMs) }
}

function askForStream(call: OutgoingStream): OutgoingStream {
  const own = call.options.extensions ?? []
  if (own.some(({ urn }) => canonicalUrn(urn) === STREAM)) return call
  const extensions = [...own, { urn: STREAM, options: { accept: true } }]
  return { ...call, options: { ...call.options, extensions } }
}

/** A wait that a silent service ends. */
interface Live {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly onSilence: () => void
}

async function* readLive(
  response: TransportResponse,
  live: Live,
  maxEventLength: number | undefined,
): AsyncGenerator<ServerEvent, void> {
  const chunks = response.chunks ?? toChunks(response.body)
  try {
    yield* readEvents(untilSilent(chunks, live), maxEventLength)
  } catch (thrown) {
    if (live.signal.aborted) throw abortError(live.signal)
    if (!(thrown instanceof RangeError)) throw thrown
    throw clientError('CLIENT_RESPONSE_TOO_LARGE', {
      message: `The stream holds an event that is too long: ${thrown.message}; raise maxEventLength`,
    })
  }
}

/** Time counts only while nothing comes; how slowly the caller reads is the caller's business. */
async function* untilSilent(
  chunks: AsyncIterable<string | Uint8Array>,
  live: Live,
): AsyncGenerator<string | Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await withPatience(live, () => iterator.next())
      if (step.done) return
      yield step.value
    }
  } finally {
    // Not awaited: a transport that is waiting for its peer would keep the caller waiting too.
    Promise.resolve(iterator.return?.()).catch(() => {})
  }
}

async function withPatience<Value>(
  { signal, timeoutMs, onSilence }: Live,
  action: () => Promise<Value>,
): Promise<Value> {
  const timer = setTimeout(onSilence, timeoutMs)
  try {
    return await untilAborted(action(), signal)
  } finally {
    clearTimeout(timer)
  }
}

async function* toChunks(body: string): AsyncGenerator<string, void> {
  yield body
}
