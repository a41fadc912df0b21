import { type Call, type Outcome, withFacts } from '../core/call.ts'
import { CallError } from '../core/error.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import { toFailure } from '../core/invoke.ts'
import { isPromise, type Maybe } from '../core/maybe.ts'
import type { Service } from '../core/service.ts'
import { createAbortable } from '../extensions/abortable.ts'
import { STREAM_URN } from '../extensions/stream.ts'
import type { HttpResponse } from '../wire/http.ts'
import { createEventStream, type EventStream, encodeEvent } from '../wire/sse.ts'
import {
  type Answering,
  encodeDocument,
  encodeFailure,
  encodeItem,
  encodeOutcome,
  encodeStreamHeaders,
} from './encode.ts'

/** Nobody on the way may take silence for an end. */
const KEEP_ALIVE_MS = 15_000
/** How long a function may keep a caller waiting for a first sign; what fails earlier is an ordinary answer. */
const OPEN_AFTER_MS = 1_000
const CONNECTED = encodeEvent('data', '{"status":"connected"}')

/** Tells whether the caller reads partial results while the function runs. */
export function asksForStream(call: Call, service: Service): boolean {
  return (
    service.supports(STREAM_URN) &&
    call.extensions.some(
      ({ urn, options }) => options['accept'] === true && canonicalUrn(urn) === STREAM_URN,
    )
  )
}

/** Answers with events from the first partial result on; a call that fails before is an ordinary answer. */
export function answerStream(
  service: Service,
  answering: Answering & { readonly call: Call },
  run: (call: Call) => Maybe<Outcome>,
): Promise<HttpResponse> {
  const { call } = answering
  const abortable = createAbortable(call)

  return new Promise((resolve) => {
    let events: EventStream | undefined
    let begun: NodeJS.Timeout | undefined
    let ended = false

    const open = (): EventStream => {
      if (events !== undefined) return events
      clearTimeout(begun)
      events = createEventStream(KEEP_ALIVE_MS, () => {
        if (!ended) abortable.abort(new CallError('CANCELLED'))
      })
      call.signal().addEventListener('abort', events.end, { once: true })
      events.push(CONNECTED)
      const headers = encodeStreamHeaders(answering, service)
      resolve({ status: 200, headers, body: events })
      return events
    }
    const finish = (outcome: Outcome): void => {
      ended = true
      clearTimeout(begun)
      const streamed = events !== undefined || (begun !== undefined && outcome.ok)
      if (streamed) {
        const stream = open()
        stream.push(encodeEnd(outcome, answering, service))
        stream.end()
      } else resolve(encodeWhole(outcome, answering, service))
    }
    const fail = (thrown: unknown): void => finish(toFailure(thrown, { call, log: service.log }))
    const streaming: Call = {
      ...withFacts(call, {
        outlet: {
          begin() {
            begun = setTimeout(open, OPEN_AFTER_MS)
          },
          emit: (item) =>
            ended ? undefined : open().write(encodeEvent('data', encodeItem(item, service))),
        },
        progress(fraction, message) {
          if (!ended) open().show(encodeEvent('progress', encodeProgress(fraction, message)))
        },
      }),
      signal: abortable.signal,
    }
    try {
      const outcome = run(streaming)
      if (isPromise(outcome)) outcome.then(finish).catch(fail)
      else finish(outcome)
    } catch (thrown) {
      fail(thrown)
    }
  })
}

function encodeProgress(fraction: number, message: string | undefined): string {
  const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100) || 0
  return JSON.stringify({
    current: percent,
    total: 100,
    percent,
    ...(message !== undefined && { message }),
  })
}

function encodeWhole(outcome: Outcome, answering: Answering, service: Service): HttpResponse {
  try {
    return encodeOutcome(outcome, answering, service)
  } catch (thrown) {
    return encodeFailure(
      toFailure(thrown, { call: answering.call, log: service.log }),
      answering,
      service,
    )
  }
}

/** Writes the last events: the final result or the error, and the document a caller without streams would get. */
function encodeEnd(outcome: Outcome, answering: Answering, service: Service): string {
  if (!outcome.ok) {
    const { code, message, details = {} } = outcome.errors[0]
    const document = encodeFailure(outcome, answering, service).body as string
    return (
      encodeEvent('error', JSON.stringify({ code, message, details })) +
      encodeEvent('complete', document)
    )
  }
  try {
    const done = encodeEvent('done', encodeItem(outcome.result, service))
    const streamed: Outcome = { ok: true, result: { streamed: true } }
    return done + encodeEvent('complete', encodeDocument(streamed, answering, service))
  } catch (thrown) {
    const failure = toFailure(thrown, { call: answering.call, log: service.log })
    return encodeEnd(failure, answering, service)
  }
}
