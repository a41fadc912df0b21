import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from './app.ts'
import { answerNode } from './node.ts'

/** The members of a Fastify instance that the plugin uses. */
export interface FastifyHost {
  readonly prefix: string
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown },
    ) => void,
  ): unknown
}

/** Serves an app as a Fastify plugin: `fastify.register(toFastifyPlugin(app), { prefix: '/rpc' })`. */
export function toFastifyPlugin(
  app: App,
): (fastify: FastifyHost, options: unknown, done: () => void) => void {
  return (fastify, _options, done) => {
    // The body stays in the raw stream; parsers of this plugin's own scope must not consume it.
    fastify.removeAllContentTypeParsers()
    fastify.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
    fastify.all('/*', (request, reply) => {
      reply.hijack()
      const target = (request.raw.url ?? '/').slice(fastify.prefix.length) || '/'
      answerNode(app, request.raw, reply.raw, { target })
    })
    done()
  }
}
