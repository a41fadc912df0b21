import {
  assertFits,
  type Call,
  type Outcome,
  type Service,
  toResultText,
} from '../../core/index.ts'
import { STREAM_URN, type StreamFormat } from '../../extensions/stream/index.ts'
import { canonicalUrn } from '../../values/index.ts'
import { COMMENT, encodeEvent } from '../../wire/index.ts'
import {
  type Answering,
  encodeDocument,
  encodeFailure,
  encodeOutcome,
  encodeStreamHeaders,
} from './encode.ts'

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

/** Creates the format of a streamed answer: events, and at the end the document a caller without streams would get. */
export function createStreamFormat(service: Service, answering: Answering): StreamFormat {
  const encodeItem = (item: unknown): string => {
    const text = toResultText(item, service.limits.maxResponseBytes)
    assertFits(text, service)
    return text
  }
  const encodeEnd = (outcome: Outcome): string => {
    if (!outcome.ok) {
      const { code, message, details = {} } = outcome.errors[0]
      const document = encodeFailure(outcome, answering, service).body as string
      return (
        encodeEvent('error', JSON.stringify({ code, message, details })) +
        encodeEvent('complete', document)
      )
    }
    const done = encodeEvent('done', encodeItem(outcome.result))
    const streamed: Outcome = { ok: true, result: { streamed: true } }
    return done + encodeEvent('complete', encodeDocument(streamed, answering, service))
  }
  return {
    headers: () => encodeStreamHeaders(answering, service),
    opening: CONNECTED,
    keepAlive: COMMENT,
    item: (item) => encodeEvent('data', encodeItem(item)),
    progress: (progress) => encodeEvent('progress', JSON.stringify(progress)),
    end: encodeEnd,
    whole: (outcome) =>
      outcome.ok
        ? encodeOutcome(outcome, answering, service)
        : encodeFailure(outcome, answering, service),
  }
}
