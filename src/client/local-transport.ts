import type { Maybe } from '../values/index.ts'
import { type HttpHandler, type HttpResponse, IN_PROCESS, isEventStream } from '../wire/index.ts'
import { collectText, DEFAULT_MAX_RESPONSE_BYTES, type Transport } from './transport.ts'

/** How a handler in this process is called. */
export interface LocalTransportOptions {
  /** Path of the requests; `/forrst` when absent. */
  readonly path?: string
  /** Headers of every request, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
  /** 10 MiB when absent. */
  readonly maxResponseBytes?: number
}

/** Creates a transport to a handler in this process: the path a request takes behind a socket, without the socket. */
export function createLocalTransport(
  handler: HttpHandler,
  options: LocalTransportOptions = {},
): Transport {
  const { path = '/forrst', maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options
  if (typeof handler !== 'function') {
    throw new TypeError(
      'createLocalTransport needs a handler: createApp(service, { surfaces: [forrst()] }).handle',
    )
  }
  const encoder = new TextEncoder()

  return async ({ body, headers: ofRequest, signal, streams = false }) => {
    const headers = new Map(Object.entries({ host: 'localhost', ...ofRequest, ...options.headers }))
    const response = await handler({
      method: 'POST',
      path,
      query: '',
      header: (name) => headers.get(name),
      body: encoder.encode(body),
      bodyTooLarge: false,
      signal: () => signal,
      peerAddress: () => IN_PROCESS,
    })
    const { status } = response
    const header = (name: string) => toHeaderText(response.headers[name])
    const streamed = isStreamed(response.body) ? response.body : undefined
    if (streams && streamed !== undefined && isEventStream(header('content-type'))) {
      return { status, header, body: '', chunks: streamed }
    }
    return { status, header, body: await readBody(response.body, maxResponseBytes) }
  }
}

function readBody(body: HttpResponse['body'], maxBytes: number): Maybe<string> {
  // No character takes more than three bytes, so most texts need not be counted.
  if (typeof body === 'string' && body.length * 3 <= maxBytes) return body
  return collectText(isStreamed(body) ? body : [body], maxBytes)
}

function isStreamed(body: HttpResponse['body']): body is AsyncIterable<string | Uint8Array> {
  return typeof body !== 'string' && !(body instanceof Uint8Array)
}

function toHeaderText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}
