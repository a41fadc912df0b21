import { CallError } from '../core/error.ts'
import type { CallOptions } from './call-options.ts'
import type { OutgoingCall } from './encode.ts'
import { toCallError, toClientError, toThrown } from './errors.ts'
import { type CallSettings, runAttempts } from './run-call.ts'
import { attemptStream } from './stream-attempt.ts'
import { createStreamDecoder } from './stream-decode.ts'

/** How far a streamed call is. */
export interface StreamProgress {
  readonly current: number
  readonly total: number
  readonly percent: number
  readonly message?: string
}

/** How one streamed call is made; `timeoutMs` is the longest silence. */
export interface StreamOptions extends CallOptions {
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
  return new CallError('CANCELLED', { message: 'The stream was left before its end' })
}
