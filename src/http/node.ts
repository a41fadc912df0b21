import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPromise } from '../values/index.ts'
import type { HttpRequest, HttpResponse } from '../wire/index.ts'
import { createHeadWriter, type WriteHead, writePublicHead } from './answer-head.ts'
import type { App } from './app.ts'
import { judgeHead, toOriginForm } from './head.ts'
import { problemResponse, toProblem } from './problem.ts'

/** Answers node:http requests without building web Request and Response objects, which cost more than the call. */
export function toNodeListener(
  app: App,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const write = createHeadWriter()
  const writeHead: WriteHead = (outgoing, response, length) => {
    if (app.isDraining?.()) outgoing.shouldKeepAlive = false
    write(outgoing, response, length)
  }
  return (incoming, outgoing) => answerNode(app, incoming, outgoing, NO_EXTRAS, writeHead)
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

const NO_EXTRAS: NodeExtras = {}

/** Reads one node:http request, lets the app answer it, writes the answer. */
export function answerNode(
  app: App,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  extras: NodeExtras = NO_EXTRAS,
  writeHead: WriteHead = writePublicHead,
): void {
  const target = toOriginForm(extras.target ?? incoming.url ?? '/')
  const refusal = refuseHead(app, incoming, outgoing, target)
  if (refusal !== undefined) {
    writeResponse(outgoing, refusal, writeHead)
    return
  }
  const answer = (body: Body, stream?: AsyncIterable<Uint8Array>): void => {
    const plain = toHttpRequest(incoming, outgoing, target, body)
    const request = stream === undefined ? plain : { ...plain, stream }
    // Surfaces never throw; a handler that somebody mounts may, and that must not end the process.
    try {
      const response = app.handle(
        extras.bodyRewritten ? { ...request, bodyRewritten: true } : request,
      )
      if (!isPromise(response)) writeResponse(outgoing, response, writeHead)
      else
        response
          .then((ready) => writeResponse(outgoing, ready, writeHead))
          .catch(() => fail(outgoing))
    } catch {
      fail(outgoing)
    }
  }
  if (extras.body !== undefined) {
    answer(extras.body.byteLength > app.maxRequestBytes ? 'too-large' : extras.body)
  } else if (takesStream(app, incoming, target)) {
    answer(EMPTY, openBody(incoming, outgoing))
  } else {
    readBody(incoming, app.maxRequestBytes, (body) => {
      // What follows an oversized body on this connection is still that body.
      if (body === 'too-large') outgoing.shouldKeepAlive = false
      answer(body)
    })
  }
}

/** Nearly every body is JSON, and read before anybody looks at it. */
function takesStream(app: App, { method, headers }: IncomingMessage, target: string): boolean {
  const type = headers['content-type']
  if (type === undefined || type === 'application/json' || method === 'GET') return false
  return app.takesStream?.(toPath(target), type) === true
}

/** Gives a body as it arrives. Whoever stops reading must still be able to answer, so the connection stays open. */
function openBody(incoming: IncomingMessage, outgoing: ServerResponse): AsyncIterable<Uint8Array> {
  // What follows on this connection may still be that body; looked at when the head of the answer is written.
  Object.defineProperty(outgoing, 'shouldKeepAlive', {
    get: () => incoming.complete,
    set: () => {},
  })
  // Read to nowhere, so that its sender, who does not read while it writes, gets to the answer.
  outgoing.on('finish', () => incoming.resume())
  return {
    [Symbol.asyncIterator]: () =>
      incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>,
  }
}

function fail(outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy()
  else {
    const problem = problemResponse(500, 'The request could not be answered')
    writeResponse(outgoing, problem, writePublicHead)
  }
}

/** Refuses what the head of a request already tells; nobody has read its body then. */
function refuseHead(
  app: App,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: string,
): HttpResponse | undefined {
  const ambiguous = judgeHead(incoming)
  if (ambiguous === undefined) return app.refuseEarly?.(toPath(target))
  // Where this request ends is not certain either.
  outgoing.shouldKeepAlive = false
  return app.refuse?.(toPath(target), ambiguous) ?? toProblem(ambiguous)
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

function writeResponse(
  outgoing: ServerResponse,
  response: HttpResponse,
  writeHead: WriteHead,
): void {
  const { status, body } = response
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    writeHead(outgoing, response, BODYLESS.has(status) ? undefined : length)
    if (length === 0 || BODYLESS.has(status)) outgoing.end(body)
    else writeWhole(outgoing, body, length)
  } else {
    writeHead(outgoing, response, undefined)
    outgoing.flushHeaders()
    writeStream(outgoing, body).catch(() => outgoing.destroy())
  }
}

/** `end(body)` hands the socket an empty second chunk, and thereby a vectored write, which takes longer than this one. */
function writeWhole(outgoing: ServerResponse, body: string | Uint8Array, length: number): void {
  outgoing.cork()
  // As many bytes as characters: the text is ASCII, and node:http joins it to its head without encoding it.
  if (typeof body === 'string') outgoing.write(body, length === body.length ? 'latin1' : 'utf8')
  else outgoing.write(body)
  outgoing.uncork()
  outgoing.end()
}

/** Answers that never have a body say nothing about its length (RFC 9110, 8.6): it would be that of another answer. */
const BODYLESS: ReadonlySet<number> = new Set([204, 304])

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

function toPath(target: string): string {
  const mark = target.indexOf('?')
  return mark === -1 ? target : target.slice(0, mark)
}

function readBody(incoming: IncomingMessage, limit: number, done: (body: Body) => void): void {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') {
    incoming.resume()
    done(EMPTY)
    return
  }
  let first: Buffer | undefined
  let more: Collector | undefined
  let size = 0
  incoming.on('data', (chunk: Buffer) => {
    const before = size
    size += chunk.byteLength
    if (size > limit) {
      first = undefined
      more = undefined
      if (before <= limit) done('too-large')
    } else if (first === undefined) first = chunk
    else {
      more ??= createCollector(first, limit)
      more.add(chunk)
    }
  })
  incoming.on('end', () => {
    if (size <= limit) done(more?.whole() ?? first ?? EMPTY)
  })
}

interface Collector {
  readonly add: (chunk: Buffer) => void
  readonly whole: () => Buffer
}

/** Gathers a body of several chunks; a million of one byte each take no more memory than their bytes. */
function createCollector(first: Buffer, limit: number): Collector {
  let whole = first
  let size = first.byteLength
  let room = size
  return {
    add(chunk) {
      const needed = size + chunk.byteLength
      if (needed > room) {
        room = Math.min(limit, Math.max(needed, 2 * size))
        const larger = Buffer.allocUnsafe(room)
        whole.copy(larger, 0, 0, size)
        whole = larger
      }
      chunk.copy(whole, size)
      size = needed
    },
    whole: () => whole.subarray(0, size),
  }
}
