export { type AllSurfacesOptions, allSurfaces } from './all-surfaces.ts'
export { type App, type AppOptions, createApp } from './app.ts'
export type { DrainOptions, DrainReport } from './drain.ts'
export { type ParsedRequest, toExpressHandler } from './express.ts'
export { type FastifyHost, toFastifyPlugin } from './fastify.ts'
export { type FetchHandlerOptions, toFetchHandler } from './fetch.ts'
export { type HonoContext, type HonoHandlerOptions, toHonoHandler } from './hono.ts'
export { type LambdaEvent, type LambdaResult, toLambdaHandler } from './lambda.ts'
export { toNodeListener } from './node.ts'
export type { Load, OverloadOptions } from './overload.ts'
export {
  type GuardedApp,
  type OverloadGate,
  type OverloadGuard,
  overload,
} from './overload-guard.ts'
export {
  BACKLOG,
  type HeldPort,
  type RunningServer,
  type ServeOptions,
  serve,
  serveAt,
} from './serve.ts'
