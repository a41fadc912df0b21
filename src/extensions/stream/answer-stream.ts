import { type Call, type Outcome, type Service, toFailure, withFacts } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createAbortable, isPromise, type Maybe } from '../../values/index.ts'
import { createEventStream, type EventStream, type HttpResponse } from '../../wire/index.ts'

/** How far a function is, as streams tell it. */
export interface AnswerProgress {
  readonly current: number
  readonly total: 100
  readonly percent: number
  readonly message?: string
}

/** How a surface writes the parts of a stream. */
export interface StreamFormat {
  readonly headers: () => HttpResponse['headers']
  /** Sent first, when the stream opens. */
  readonly opening: string
  /** Sent when nothing else was for a while. */
  readonly keepAlive: string
  readonly item: (item: unknown) => string
  readonly progress: (progress: AnswerProgress) => string
  /** Writes what ends the stream; what it throws is written in place of the result. */
  readonly end: (outcome: Outcome) => string
  /** Answers a call that ended before its stream was opened. */
  readonly whole: (outcome: Outcome) => HttpResponse
}

/** Nobody on the way may take silence for an end. */
const KEEP_ALIVE_MS = 15_000
/** How long a function may keep a caller waiting for a first sign; what fails earlier is an ordinary answer. */
const OPEN_AFTER_MS = 1_000

/** Answers with a stream from the first partial result on; a call that fails before is an ordinary answer. */
export function answerStream(
  service: Service,
  call: Call,
  format: StreamFormat,
  run: (call: Call) => Maybe<Outcome>,
): Promise<HttpResponse> {
  const abortable = createAbortable(call.signal)
  const toOutcome = (thrown: unknown) => toFailure(thrown, { call, log: service.log })

  return new Promise((resolve) => {
    let events: EventStream | undefined
    let begun: NodeJS.Timeout | undefined
    let ended = false

    const open = (): EventStream => {
      if (events !== undefined) return events
      clearTimeout(begun)
      const onEnd = () => {
        if (!ended) abortable.abort(new CallError('CANCELLED'))
      }
      events = createEventStream(KEEP_ALIVE_MS, onEnd, format.keepAlive)
      call.signal().addEventListener('abort', events.end, { once: true })
      if (format.opening !== '') events.push(format.opening)
      resolve({ status: 200, headers: format.headers(), body: events })
      return events
    }
    const finish = (outcome: Outcome): void => {
      ended = true
      clearTimeout(begun)
      abortable.detach()
      const streamed = events !== undefined || (begun !== undefined && outcome.ok)
      if (streamed) {
        const stream = open()
        stream.push(orFailure(format.end, outcome, toOutcome))
        stream.end()
      } else resolve(orFailure(format.whole, outcome, toOutcome))
    }
    const streaming: Call = {
      ...withFacts(call, {
        outlet: {
          begin() {
            begun = setTimeout(open, OPEN_AFTER_MS)
          },
          emit(item) {
            if (ended) return undefined
            const part = format.item(item)
            return open().write(part)
          },
        },
        progress(fraction, message) {
          if (!ended) open().show(format.progress(toProgress(fraction, message)))
        },
      }),
      signal: abortable.signal,
    }
    try {
      const outcome = run(streaming)
      if (isPromise(outcome)) void outcome.catch(toOutcome).then(finish)
      else finish(outcome)
    } catch (thrown) {
      finish(toOutcome(thrown))
    }
  })
}

function toProgress(fraction: number, message: string | undefined): AnswerProgress {
  const percent = Math.round(Math.min(1, Math.max(0, fraction)) * 100) || 0
  return { current: percent, total: 100, percent, ...(message !== undefined && { message }) }
}

/** A result that cannot be written is a failure like any other. */
function orFailure<Written>(
  write: (outcome: Outcome) => Written,
  outcome: Outcome,
  toOutcome: (thrown: unknown) => Outcome,
): Written {
  try {
    return write(outcome)
  } catch (thrown) {
    return write(toOutcome(thrown))
  }
}
