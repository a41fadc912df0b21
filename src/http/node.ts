import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { isPromise } from '../core/maybe.ts'
import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import type { App } from './app.ts'

/** Answers node:http requests without building web Request and Response objects, which cost more than the call. */
export function toNodeListener(
  app: App,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return function listener(incoming, outgoing) {
    const controller = new AbortController()
    // Aborting on every close would double the cost of a request; only a caller who left early matters.
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) controller.abort()
    })
    readBody(incoming, app.maxRequestBytes, (body) => {
      const response = app.handle(toHttpRequest(incoming, body, controller.signal))
      if (!isPromise(response)) writeResponse(outgoing, response)
      else response.then((ready) => writeResponse(outgoing, ready)).catch(() => outgoing.destroy())
    })
  }
}

const EMPTY = Buffer.alloc(0)

type Body = Uint8Array | 'too-large'

/** Makes the neutral request of a node:http one. */
export function toHttpRequest(
  incoming: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
  body: Body,
  signal: AbortSignal,
): HttpRequest {
  const target = incoming.url ?? '/'
  const mark = target.indexOf('?')
  const { rawHeaders } = incoming
  return {
    method: incoming.method ?? 'GET',
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    header: (name) => findHeader(rawHeaders, name),
    body: body === 'too-large' ? EMPTY : body,
    bodyTooLarge: body === 'too-large',
    signal,
  }
}

/** Writes a response in one go, or piece by piece as fast as the peer reads. */
export function writeResponse(outgoing: ServerResponse, response: HttpResponse): void {
  const { status, headers, body } = response
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    outgoing.writeHead(status, { ...(headers as OutgoingHttpHeaders), 'content-length': length })
    outgoing.end(body)
  } else {
    outgoing.writeHead(status, headers as OutgoingHttpHeaders)
    outgoing.flushHeaders()
    writeStream(outgoing, body).catch(() => outgoing.destroy())
  }
}

async function writeStream(
  outgoing: ServerResponse,
  body: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  for await (const chunk of body) {
    if (outgoing.destroyed) return
    if (!outgoing.write(chunk))
      await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')])
  }
  outgoing.end()
}

function readBody(incoming: IncomingMessage, limit: number, done: (body: Body) => void): void {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') {
    incoming.resume()
    done(EMPTY)
    return
  }
  let first: Buffer | undefined
  let more: Buffer[] | undefined
  let size = 0
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.byteLength
    if (size > limit) return
    if (first === undefined) first = chunk
    else if (more === undefined) more = [first, chunk]
    else more.push(chunk)
  })
  incoming.on('end', () => {
    if (size > limit) done('too-large')
    else done(more === undefined ? (first ?? EMPTY) : Buffer.concat(more, size))
  })
  // The peer left before the body was complete; its `close` has aborted the signal, nobody waits for an answer.
  incoming.on('error', () => {})
}

function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index]
    if (candidate?.length === name.length && candidate.toLowerCase() === name) {
      return rawHeaders[index + 1]
    }
  }
  return undefined
}
