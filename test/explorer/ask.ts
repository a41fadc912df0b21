import type { HttpHandler, HttpRequest, HttpResponse } from 'waymark'

/** What a test sends. */
export interface Question {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is; anything but text and bytes is written as JSON first. */
  readonly body?: unknown
}

/** What came back, read. */
export interface Reply {
  readonly status: number
  readonly headers: HttpResponse['headers']
  readonly text: string
  readonly bytes: Uint8Array
  /** The body as JSON; fails when it is none. */
  readonly json: unknown
}

/** Sends one request through a handler, as a host on this machine would. */
export async function ask(
  handler: HttpHandler,
  path: string,
  question: Question = {},
): Promise<Reply> {
  const response = await handler(toRequest(path, question))
  const bytes = toBytes(response.body)
  const text = new TextDecoder().decode(bytes)
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    get json() {
      return JSON.parse(text) as unknown
    },
  }
}

/** Makes a request; a body brings its content type along unless the test names one. */
export function toRequest(path: string, { method, headers = {}, body }: Question): HttpRequest {
  const [target = '', query = ''] = path.split('?')
  const sent: Record<string, string> = {
    host: '127.0.0.1:4000',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path: target,
    query,
    header: (name) => sent[name],
    body: body === undefined ? new Uint8Array(0) : toBytes(body),
    bodyTooLarge: false,
    signal: () => new AbortController().signal,
    peerAddress: () => 'in-process',
  }
}

function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}
