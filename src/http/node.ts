import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { isPromise } from '../core/maybe.ts'
import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import type { App } from './app.ts'

/** Answers node:http requests without building web Request and Response objects, which cost more than the call. */
export function toNodeListener(
  app: App,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => answerNode(app, incoming, outgoing)
}

/** What a framework around node:http may already have done. */
export interface NodeExtras {
  /** Path and query below the mount point; the request's own when absent. */
  readonly target?: string
  /** The body, when somebody has read it before us. */
  readonly body?: Uint8Array
  /** True when those are not the bytes that were sent. */
  readonly bodyRewritten?: boolean
}

/** Reads one node:http request, lets the app answer it, writes the answer. */
export function answerNode(
  app: App,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  extras: NodeExtras = {},
): void {
  const target = extras.target ?? incoming.url ?? '/'
  const answer = (body: Body): void => {
    const request = toHttpRequest(incoming, outgoing, target, body)
    const response = app.handle(
      extras.bodyRewritten ? { ...request, bodyRewritten: true } : request,
    )
    if (!isPromise(response)) writeResponse(outgoing, response)
    else response.then((ready) => writeResponse(outgoing, ready)).catch(() => outgoing.destroy())
  }
  if (extras.body !== undefined) {
    answer(extras.body.byteLength > app.maxRequestBytes ? 'too-large' : extras.body)
  } else {
    readBody(incoming, app.maxRequestBytes, (body) => {
      // What follows an oversized body on this connection is still that body.
      if (body === 'too-large') outgoing.shouldKeepAlive = false
      answer(body)
    })
  }
}

const EMPTY = Buffer.alloc(0)

type Body = Uint8Array | 'too-large'

function toHttpRequest(
  { method = 'GET', headers, socket }: IncomingMessage,
  outgoing: ServerResponse,
  target: string,
  body: Body,
): HttpRequest {
  const mark = target.indexOf('?')
  let signal: AbortSignal | undefined
  return {
    method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    header: (name) => headers[name] as string | undefined,
    body: body === 'too-large' ? EMPTY : body,
    bodyTooLarge: body === 'too-large',
    signal: () => {
      signal ??= signalOfPeer(outgoing)
      return signal
    },
    peerAddress: () => socket.remoteAddress,
  }
}

function signalOfPeer(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController()
  // Aborting on every close would double the cost of a request; only a caller who left early matters.
  const leave = () => {
    if (!outgoing.writableFinished) controller.abort()
  }
  if (outgoing.destroyed) leave()
  else outgoing.on('close', leave)
  return controller.signal
}

function writeResponse(outgoing: ServerResponse, response: HttpResponse): void {
  const { status, headers, body } = response
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    outgoing.writeHead(status, flattenHeaders(headers, BODYLESS.has(status) ? undefined : length))
    outgoing.end(body)
  } else {
    outgoing.writeHead(status, headers as OutgoingHttpHeaders)
    outgoing.flushHeaders()
    writeStream(outgoing, body).catch(() => outgoing.destroy())
  }
}

/** Answers that never have a body say nothing about its length (RFC 9110, 8.6): it would be that of another answer. */
const BODYLESS: ReadonlySet<number> = new Set([204, 304])

function flattenHeaders(headers: HttpResponse['headers'], length: number | undefined): string[] {
  const flat = length === undefined ? [] : ['content-length', String(length)]
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') flat.push(name, value)
    else for (const item of value ?? []) flat.push(name, item)
  }
  return flat
}

async function writeStream(
  outgoing: ServerResponse,
  body: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  let proceed: (() => void) | undefined
  const onProgress = () => proceed?.()
  // Listened to once: a listener per wait would stay behind for each of the two that did not happen.
  outgoing.on('drain', onProgress).on('close', onProgress)
  for await (const chunk of body) {
    // Leaving the loop tells the producer to stop: nobody reads any more.
    if (outgoing.destroyed) return
    if (outgoing.write(chunk)) continue
    await new Promise<void>((resolve) => {
      proceed = resolve
      if (outgoing.destroyed) resolve()
    })
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
    const before = size
    size += chunk.byteLength
    if (size > limit) {
      more = undefined
      if (before <= limit) done('too-large')
    } else if (first === undefined) first = chunk
    else if (more === undefined) more = [first, chunk]
    else more.push(chunk)
  })
  incoming.on('end', () => {
    if (size <= limit) done(more === undefined ? (first ?? EMPTY) : Buffer.concat(more, size))
  })
}
