import type { Maybe } from '../core/maybe.ts'
import type { HttpHandler, HttpResponse } from '../wire/http.ts'
import { collectText, DEFAULT_MAX_RESPONSE_BYTES } from './collect-text.ts'
import type { Transport } from './transport.ts'

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
  const encoder = new TextEncoder()

  return async ({ body, headers: ofRequest, signal }) => {
    const headers = new Map(Object.entries({ host: 'localhost', ...ofRequest, ...options.headers }))
    const response = await handler({
      method: 'POST',
      path,
      query: '',
      header: (name) => headers.get(name),
      body: encoder.encode(body),
      bodyTooLarge: false,
      signal: () => signal,
    })
    return {
      status: response.status,
      header: (name) => toHeaderText(response.headers[name]),
      body: await readBody(response.body, maxResponseBytes),
    }
  }
}

function readBody(body: HttpResponse['body'], maxBytes: number): Maybe<string> {
  // No character takes more than three bytes, so most texts need not be counted.
  if (typeof body === 'string' && body.length * 3 <= maxBytes) return body
  return collectText(
    typeof body === 'string' || body instanceof Uint8Array ? [body] : body,
    maxBytes,
  )
}

function toHeaderText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}
