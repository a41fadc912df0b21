import type { Stream, StreamEvent, StreamOptions, StreamProgress } from './contract.ts'
import { type ClientOptions, request } from './fetch-connection.ts'
import { ServiceError, toEntry, withExtension } from './method.ts'
import { readEvents } from './sse.ts'

/** Connects to calls that are answered in parts, over server-sent events. */
export function connectStream(options: ClientOptions): Stream {
  return async function* stream(name, callArguments, { onProgress, ...given }) {
    const entry = { urn: 'urn:forrst:ext:stream', options: { accept: true } }
    const wire = { ...given, ...withExtension(given, entry) }
    const opened = await request(options, { name, callArguments, given: wire })
    if ('answer' in opened) {
      if (opened.answer.ok) return opened.answer.result
      throw new ServiceError(opened.answer.errors, opened.answer.cause)
    }
    try {
      return yield* readParts(readEvents(opened.body), onProgress)
    } catch (thrown) {
      throw thrown instanceof ServiceError ? thrown : new ServiceError([CUT_SHORT], thrown)
    }
  }
}

async function* readParts(
  events: AsyncIterable<StreamEvent>,
  onProgress: StreamOptions['onProgress'],
): AsyncGenerator<unknown, unknown, void> {
  let isFirst = true
  let result: unknown
  let isDone = false
  for await (const { event, data } of events) {
    // The first part only says that the stream is open.
    if (event === 'data' && !(isFirst && isGreeting(data))) yield data
    if (event === 'data') isFirst = false
    if (event === 'progress') onProgress?.(data as StreamProgress)
    if (event === 'error') throw new ServiceError([toEntry(data)])
    if (event === 'done') result = data
    isDone ||= event === 'done' || event === 'complete'
    if (event === 'complete') break
  }
  if (isDone) return result
  throw new ServiceError([CUT_SHORT])
}

const CUT_SHORT = {
  code: 'CLIENT_CONNECTION_LOST',
  message: 'The stream broke before it was complete',
}

function isGreeting(data: unknown): boolean {
  return (
    typeof data === 'object' && data !== null && 'status' in data && data.status === 'connected'
  )
}
