import type { Service } from '../../src/core/service.ts'
import { createForrstHandler } from '../../src/surfaces/forrst/handler.ts'
import type { HttpResponse } from '../../src/wire/http.ts'
import { readEvents } from '../../src/wire/sse.ts'
import { type TestRequestOptions, toRequest } from './forrst.ts'

/** The entry that asks for a stream. */
export const STREAM = { urn: 'urn:forrst:ext:stream', options: { accept: true } } as const

/** An event with its data read. */
export type TestEvent = readonly [name: string, data: unknown]

/** Makes the document of a call that asks for a stream. */
export function toStreamDocument(
  name: string,
  input: unknown = {},
  extensions: readonly unknown[] = [],
): unknown {
  return {
    protocol: { name: 'forrst', version: '0.1.0' },
    id: 'req_1',
    call: { function: name, arguments: input },
    extensions: [STREAM, ...extensions],
  }
}

/** Calls a function through the Forrst door, asking for a stream. */
export async function openStream(
  service: Service,
  name: string,
  { input, extensions, ...options }: StreamTest = {},
): Promise<HttpResponse> {
  const document = toStreamDocument(name, input, extensions)
  return createForrstHandler(service)(toRequest(document, options))
}

/** What a test says about a streamed call. */
export interface StreamTest extends TestRequestOptions {
  readonly input?: unknown
  readonly extensions?: readonly unknown[]
}

/** Reads a stream to its end. */
export async function collectEvents({ body }: HttpResponse): Promise<readonly TestEvent[]> {
  const events: TestEvent[] = []
  const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  for await (const { event, data } of readEvents(chunks)) events.push([event, JSON.parse(data)])
  return events
}
