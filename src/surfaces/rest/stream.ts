import type { Call, Outcome, Service, StreamResume } from '../../core/index.ts'
import type { StreamFormat } from '../../extensions/stream/index.ts'
import { isRecord } from '../../values/index.ts'
import { COMMENT, EVENT_STREAM_HEADERS, encodeEvent } from '../../wire/index.ts'
import { encodeFailure, encodeOutcome, encodeResult } from './encode.ts'

/** Media types in which partial results are sent while the function runs. */
export const STREAM_TYPES = [
  'text/event-stream',
  'application/jsonl',
  'application/x-ndjson',
] as const

/** One of the media types of streams. */
export type StreamType = (typeof STREAM_TYPES)[number]

/** Creates the format of a streamed answer: each part is an event, or a line with one member of the same name. */
export function createStreamFormat(
  service: Service,
  call: Call,
  type: StreamType,
  resume?: StreamResume,
): StreamFormat {
  const toId = type === 'text/event-stream' && resume ? encodeId(resume) : () => ''
  const encodePart = type === 'text/event-stream' ? encodeEvent : encodeLine
  return {
    headers: () => ({ ...EVENT_STREAM_HEADERS, 'content-type': type, ...call.reply.headers }),
    opening: '',
    keepAlive: type === 'text/event-stream' ? COMMENT : '\n',
    item: (item) => toId(item) + encodePart('item', encodeResult(item, service)),
    progress: (progress) => encodePart('progress', JSON.stringify(progress)),
    end: (outcome) =>
      outcome.ok
        ? encodePart('result', encodeResult(outcome.result, service))
        : encodePart('error', encodeFailure(outcome, call, service).body as string),
    whole: (outcome: Outcome) =>
      outcome.ok ? encodeOutcome(outcome, call, service) : encodeFailure(outcome, call, service),
  }
}

/** An id with a line break would begin another field of the event. */
function encodeId({ id }: StreamResume): (item: unknown) => string {
  return (item) => {
    const value = isRecord(item) ? item[id] : undefined
    const isId = typeof value === 'number' || (typeof value === 'string' && ID.test(value))
    return isId ? `id: ${value}\n` : ''
  }
}

const ID = /^[^\r\n\0]{1,500}$/

/** JSON text holds no line break of its own. */
function encodeLine(name: string, json: string): string {
  return `{"${name}":${json}}\n`
}
