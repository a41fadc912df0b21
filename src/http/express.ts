import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from './app.ts'
import { answerNode, type NodeExtras } from './node.ts'

/** The member of an Express request that node:http does not have: what a body parser left there. */
export interface ParsedRequest extends IncomingMessage {
  readonly body?: unknown
}

/** Serves an app as Express middleware, also behind `express.json()`; what it does not know goes on to `next`. */
export function toExpressHandler(
  app: App,
): (request: ParsedRequest, response: ServerResponse, next: () => void) => void {
  return (request, response, next) => {
    const target = request.url ?? '/'
    if (!app.knows(target.split('?', 1)[0] ?? '/')) next()
    else answerNode(app, request, response, { target, ...readParsed(request) })
  }
}

/** A parser has consumed the stream; what it made of it is written back to bytes. */
function readParsed({
  body,
  readableEnded,
}: ParsedRequest): Pick<NodeExtras, 'body' | 'bodyRewritten'> {
  if (!readableEnded || body === undefined) return {}
  if (body instanceof Uint8Array) return { body }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { body: Buffer.from(text), bodyRewritten: true }
}
