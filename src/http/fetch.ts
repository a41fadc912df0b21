import type { HttpRequest, HttpResponse } from '../wire/index.ts'
import type { App } from './app.ts'

/** How a host of web-standard requests is asked about them. */
export interface FetchHandlerOptions<Rest extends readonly unknown[] = readonly unknown[]> {
  /**
   * Finds the address of the caller, which a web-standard request does not hold; gets what the host gives the handler.
   * When absent, no caller is taken to be on this machine.
   */
  readonly peerOf?: (request: Request, ...rest: Rest) => string | undefined
}

/**
 * Serves an app on every host that speaks web-standard requests: Hono, Bun, Deno, workers.
 *
 * @example
 * Deno.serve(toFetchHandler(app, { peerOf: (_request, info) => info.remoteAddr.hostname }))
 */
export function toFetchHandler<Rest extends readonly unknown[] = readonly unknown[]>(
  app: App,
  { peerOf }: FetchHandlerOptions<Rest> = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const streamed = takesStream(app, request)
    const body = streamed
      ? EMPTY
      : await readBody(request, app.maxRequestBytes).catch(() => undefined)
    // The peer left before its body was complete; nobody reads this answer.
    if (body === undefined) return new Response(null, { status: 400 })
    const plain = toHttpRequest(request, body)
    const heard = streamed ? { ...plain, stream: request.body as AsyncIterable<Uint8Array> } : plain
    const response = await app.handle(
      peerOf === undefined ? heard : { ...heard, peerAddress: () => peerOf(request, ...rest) },
    )
    return toResponse(request.method, response)
  }
}

function takesStream(app: App, { url, headers, body }: Request): boolean {
  const type = headers.get('content-type')
  if (body === null || type === null || type === 'application/json') return false
  return app.takesStream?.(new URL(url).pathname, type) === true
}

const EMPTY = new Uint8Array(0)

type Body = Uint8Array | 'too-large'

function toHttpRequest(request: Request, body: Body): HttpRequest {
  const { pathname, search, host } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    query: search.slice(1),
    // A Request made by hand has no Host header; its URL says the same.
    header: (name) => request.headers.get(name) ?? (name === 'host' ? host : undefined),
    body: body === 'too-large' ? EMPTY : body,
    bodyTooLarge: body === 'too-large',
    signal: () => request.signal,
  }
}

async function readBody(request: Request, limit: number): Promise<Body> {
  if (request.body === null) return EMPTY
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > limit) return 'too-large'
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : concat(chunks, size)
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

/** Statuses whose answer must not have a body, not even an empty one. */
const BODYLESS: ReadonlySet<number> = new Set([204, 304])

function toResponse(method: string, { status, headers, body }: HttpResponse): Response {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((item): [string, string] => [name, item]),
  )
  if (method === 'HEAD' || BODYLESS.has(status))
    return new Response(null, { status, headers: list })
  // Workers would compress a body again whose header says that it is compressed.
  const encoded = headers['content-encoding'] !== undefined && { encodeBody: 'manual' }
  return new Response(toBody(body), { status, headers: list, ...encoded })
}

function toBody(body: HttpResponse['body']): ConstructorParameters<typeof Response>[0] {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return body as string | Uint8Array<ArrayBuffer>
  }
  const iterator = body[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done) {
        controller.close()
        return
      }
      const chunk = next.value
      controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
