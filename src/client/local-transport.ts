import type { HttpHandler } from '../wire/http.ts'
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
    const answered = response.body
    const chunks =
      typeof answered === 'string' || answered instanceof Uint8Array ? [answered] : answered
    return {
      status: response.status,
      header: (name) => toHeaderText(response.headers[name]),
      body: await collectText(chunks, maxResponseBytes),
    }
  }
}

function toHeaderText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value
}
