import type { CallOptions, StreamEvent } from './contract.ts'
import { ServiceError, type Target, toWireOptions } from './method.ts'

/** How a stream is read. */
export interface StreamOptions extends CallOptions {
  /** Told about progress, between the parts. */
  readonly onProgress?: ((progress: StreamProgress) => void) | undefined
}

/** How far a stream is. */
export interface StreamProgress {
  readonly current?: number
  readonly total?: number
  readonly percent?: number
  readonly message?: string
}

/** The member of a method that answers in parts. */
export interface Streamable<Parameters extends readonly unknown[], Part, Result> {
  /** Gives the parts as they come; the generator returns the result. Throws a ServiceError. */
  readonly stream: (...parameters: Parameters) => AsyncGenerator<Part, Result, void>
}

/** Makes the member of a method that answers in parts. */
export function createStreamable(target: Target): Readonly<Record<string, unknown>> {
  return {
    stream: async function* stream(callArguments?: unknown, options: StreamOptions = {}) {
      const { onProgress, ...own } = options
      const entry = { urn: 'urn:forrst:ext:stream', options: { accept: true } }
      const extensions = [...(own.extensions ?? []), entry]
      const wire = toWireOptions(target, { ...own, extensions })
      const opened = await target.connection.open(target.function, callArguments, wire)
      if ('answer' in opened) {
        if (opened.answer.ok) return opened.answer.result
        throw new ServiceError(opened.answer.errors, opened.answer.cause)
      }
      try {
        return yield* readParts(opened.events, onProgress)
      } catch (thrown) {
        throw thrown instanceof ServiceError ? thrown : new ServiceError([CUT_SHORT], thrown)
      }
    },
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
    if (event === 'error') throw new ServiceError([toErrorEntry(data)])
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

function toErrorEntry(data: unknown): { code: string; message: string; details?: unknown } {
  const { code, message, details } = (data ?? {}) as Record<string, unknown>
  return {
    code: typeof code === 'string' ? code : 'INTERNAL_ERROR',
    message: typeof message === 'string' ? message : 'The stream failed',
    ...(details !== undefined && { details }),
  }
}
