import type { App } from './app.ts'
import { toFetchHandler } from './fetch.ts'

/** The member of a Hono context that the handler uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request }
}

/** Serves an app as a Hono handler: `hono.all('/rpc/*', toHonoHandler(app, { prefix: '/rpc' }))`. */
export function toHonoHandler(
  app: App,
  { prefix = '' }: { readonly prefix?: string } = {},
): (context: HonoContext) => Promise<Response> {
  const handle = toFetchHandler({
    ...app,
    handle: (request) => app.handle({ ...request, path: request.path.slice(prefix.length) || '/' }),
  })
  return (context) => handle(context.req.raw)
}
