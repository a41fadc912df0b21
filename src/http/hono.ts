import type { App } from './app.ts'
import { toFetchHandler } from './fetch.ts'

/** The member of a Hono context that the handler itself uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request }
}

/** How an app is mounted in Hono. */
export interface HonoHandlerOptions<Context extends HonoContext = HonoContext> {
  /** The path the handler is mounted at, without the star. */
  readonly prefix?: string
  /** Finds the address of the caller: `(context) => getConnInfo(context).remote.address`. Nobody knows it when absent. */
  readonly peerOf?: (context: Context) => string | undefined
}

/** Serves an app as a Hono handler: `hono.all('/rpc/*', toHonoHandler(app, { prefix: '/rpc' }))`. */
export function toHonoHandler<Context extends HonoContext = HonoContext>(
  app: App,
  { prefix = '', peerOf }: HonoHandlerOptions<Context> = {},
): (context: Context) => Promise<Response> {
  const below: App = {
    ...app,
    handle: (request) => app.handle({ ...request, path: request.path.slice(prefix.length) || '/' }),
  }
  const handle = toFetchHandler<[Context]>(below, {
    ...(peerOf && { peerOf: (_request, context) => peerOf(context) }),
  })
  return (context) => handle(context.req.raw, context)
}
