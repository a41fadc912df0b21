import type { CallError } from '../errors/index.ts'
import { isRecord } from '../values/index.ts'
import type { ServerEvent } from '../wire/index.ts'
import { decodeError, decodeResponse, parseAnswer } from './decode.ts'
import { clientError, toCallError } from './errors.ts'
import { invalidResponse } from './foreign-answer.ts'
import type { Answer } from './outcome.ts'
import type { StreamProgress } from './stream.ts'

/** Makes sense of the events of one stream. */
export interface StreamDecoder {
  /** Takes one event and gives the item in it, if it holds one. */
  readonly take: (event: ServerEvent) => readonly unknown[]
  /** Tells whether the service has said everything. */
  readonly complete: () => boolean
  /** Gives the final result; throws when the call failed, or when the stream broke off. */
  readonly result: () => unknown
}

/** Creates the decoder of one stream; events nobody knows are read over. */
export function createStreamDecoder(
  expected: { readonly id: string; readonly now: number },
  onProgress: ((progress: StreamProgress) => void) | undefined,
): StreamDecoder {
  let first = true
  let done: { readonly result: unknown } | undefined
  let failure: CallError | undefined
  let answer: Answer | undefined

  return {
    take({ event, data }) {
      const greeting = first
      first = false
      if (event === 'data') {
        const item = parseData(event, data)
        return greeting && isGreeting(item) ? [] : [item]
      }
      if (event === 'progress') onProgress?.(toProgress(parseData(event, data)))
      if (event === 'error') failure = toCallError({ errors: [toError(parseData(event, data))] })
      if (event === 'done') done = { result: parseData(event, data) }
      if (event === 'complete') {
        const response = { status: 200, header: () => undefined, body: data }
        answer = decodeResponse(response, { ...expected, bare: false })
      }
      return []
    },
    complete: () => answer !== undefined,
    result() {
      if (answer !== undefined && !answer.outcome.ok) throw toCallError(answer.outcome)
      // Some services complete a stream as if it had succeeded after they told of an error.
      if (failure !== undefined) throw failure
      if (done !== undefined) return done.result
      if (answer !== undefined) return null
      throw clientError('CLIENT_CONNECTION_LOST', {
        message: 'The stream ended before it was complete',
      })
    },
  }
}

function parseData(event: string, data: string): unknown {
  const parsed = parseAnswer(data)
  if (parsed.ok) return parsed.value
  throw invalidResponse(`The data of an event "${event.slice(0, 50)}" ${parsed.problem}`)
}

function isGreeting(item: unknown): boolean {
  return isRecord(item) && item['status'] === 'connected' && Object.keys(item).length === 1
}

function toError(value: unknown): ReturnType<typeof decodeError> {
  return decodeError(value, 0)
}

function toProgress(value: unknown): StreamProgress {
  const { current, total, percent, message } = isRecord(value) ? value : {}
  return {
    current: toNumber(current),
    total: toNumber(total),
    percent: toNumber(percent),
    ...(typeof message === 'string' && { message }),
  }
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
