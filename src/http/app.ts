import { andThen, type Maybe } from '../core/maybe.ts'
import type { Service } from '../core/service.ts'
import { createForrstHandler } from '../forrst/handler.ts'
import {
  createMcpHandler,
  createProtectedResourceHandler,
  type McpHandlerOptions,
  metadataPaths,
} from '../mcp/index.ts'
import { createLlmsHandler, createOpenApiHandler, createOpenRpcHandler } from '../rest/documents.ts'
import { createRestHandler } from '../rest/handler.ts'
import { createProfileSurface, type ProfileOptions, type ProfileSurface } from '../rest/profile.ts'
import { createServiceToolApi, type ServiceToolApiOptions } from '../tools/service-tools.ts'
import { createGuard, type GuardOptions } from '../wire/guard.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../wire/http.ts'
import {
  createLocalJudge,
  isLoopbackHost,
  type LocalOptions,
  parsePublicUrl,
} from '../wire/local.ts'
import { createProbes } from './probes.ts'
import { problemResponse } from './problem.ts'

/** Every surface of a service behind one door; hosts only translate. */
export interface App {
  readonly handle: (request: HttpRequest) => Maybe<HttpResponse>
  /** Tells whether anything is served at a path. */
  readonly knows: (path: string) => boolean
  /** Bodies longer than this are refused. */
  readonly maxRequestBytes: number
  /** Ends streams that would otherwise stay open; the service itself is closed by its owner. */
  readonly close?: () => void
}

/** Where a handler stands; `prefix` mounts also get everything below their path. */
export interface Mount {
  readonly path: string
  readonly match: 'exact' | 'prefix'
  readonly handler: HttpHandler
}

/** How a service is put on HTTP. */
export interface AppOptions extends GuardOptions, LocalOptions {
  /** Path of the Forrst endpoint; `/forrst` when absent. */
  readonly forrstPath?: string
  /** MCP at `/mcp`; `false` leaves it out. */
  readonly mcp?: McpHandlerOptions | false
  /** The page and its tool API; `false` leaves them out. */
  readonly explorer?: ServiceToolApiOptions | false
  /**
   * Where the world reaches the service, such as `https://api.example.com`: its host is allowed, its profile is built on
   * it, and unless it is this machine, no caller is taken to be on this machine.
   */
  readonly publicUrl?: string
  /** Publishes a capability profile at `/.well-known/ucp`; the service's own when absent. */
  readonly profile?: ProfileOptions
  /** Further surfaces, tried after the built-in ones. */
  readonly mounts?: readonly Mount[]
}

/** Puts every surface of a service behind one handler. */
export function createApp(service: Service, options: AppOptions = {}): App {
  service.start()
  const probes = createProbes(service)
  const { profile, mcp, rest } = createNegotiating(service, options)
  const builtIn: readonly Mount[] = [
    {
      path: options.forrstPath ?? '/forrst',
      match: 'exact',
      handler: createForrstHandler(service),
    },
    ...(mcp ? mcpMounts(mcp, options) : []),
    { path: '/api', match: 'prefix', handler: rest },
    ...(profile
      ? [{ path: '/.well-known/ucp', match: 'exact' as const, handler: profile.handler }]
      : []),
    { path: '/openapi.json', match: 'exact', handler: createOpenApiHandler(service) },
    { path: '/openrpc.json', match: 'exact', handler: createOpenRpcHandler(service) },
    { path: '/llms.txt', match: 'exact', handler: createLlmsHandler(service, toOrigin(options)) },
    ...explorerMounts(service, options),
    { path: '/health/live', match: 'exact', handler: probes.live },
    { path: '/health/ready', match: 'exact', handler: probes.ready },
  ]
  const mounts = [...builtIn, ...(options.mounts ?? [])]
  refuseTakenPaths(mounts)
  const exact = new Map(mounts.map(({ path, handler }) => [path, handler]))
  const prefixes = mounts.filter(({ match }) => match === 'prefix')
  const guard = createGuard(options)
  const judgeLocal = createLocalJudge(options)
  const shares = (options.allowedOrigins ?? []).length > 0
  const find = (path: string) => exact.get(path) ?? findPrefix(prefixes, path)

  function answer(request: HttpRequest): Maybe<HttpResponse> {
    const refused =
      guard.judgeHost(request) ?? (isRead(request) ? undefined : guard.judgeSite(request))
    if (refused !== undefined) return problemResponse(403, refused)
    const preflight = request.method === 'OPTIONS' ? guard.preflight(request) : undefined
    if (preflight !== undefined) return preflight
    const handler = find(request.path)
    return handler === undefined ? notFound(request.path) : handler(request, judgeLocal)
  }

  return {
    maxRequestBytes: service.limits.maxRequestBytes,
    knows: (path) => find(path) !== undefined,
    ...(mcp && { close: mcp.close }),
    handle: shares
      ? (request) => andThen(answer(request), (response) => guard.share(request, response))
      : answer,
  }
}

interface Negotiating {
  readonly profile?: ProfileSurface | undefined
  readonly rest: HttpHandler
  readonly mcp?: (HttpHandler & { readonly close: () => void }) | undefined
}

/**
 * Creates the surfaces on which platforms announce their profile. Profiles on this machine are fetched for callers on
 * this machine alone: for anybody else, that would be a way to ask what is meant for it.
 */
function createNegotiating(service: Service, options: AppOptions): Negotiating {
  const published = options.profile ?? ownProfile(service, options)
  const everywhere = createCalled(service, options, published)
  if (options.profile !== undefined || !isPublishedHere(published)) return everywhere
  const here = createCalled(service, options, { ...published, allowLoopback: true })
  const choose =
    (near: HttpHandler, far: HttpHandler): HttpHandler =>
    (request, judgeLocal) =>
      (judgeLocal && judgeLocal(request) === undefined ? near : far)(request, judgeLocal)
  const close = () => {
    here.mcp?.close()
    everywhere.mcp?.close()
  }
  return {
    ...everywhere,
    rest: choose(here.rest, everywhere.rest),
    ...(here.mcp &&
      everywhere.mcp && { mcp: Object.assign(choose(here.mcp, everywhere.mcp), { close }) }),
  }
}

function isPublishedHere(published: ProfileOptions | undefined): published is ProfileOptions {
  return published !== undefined && isLoopbackHost(new URL(published.origin).host)
}

function createCalled(
  service: Service,
  options: AppOptions,
  published: ProfileOptions | undefined,
): Negotiating {
  const profile = published && createProfileSurface(service, published)
  const admit = profile && { admit: profile.admit }
  return {
    profile,
    rest: createRestHandler(service, admit),
    ...(options.mcp !== false && {
      mcp: createMcpHandler(service, { ...toMcpOptions(options), ...admit }),
    }),
  }
}

/** A webhook at the path of a surface would silently take its place. */
function refuseTakenPaths(mounts: readonly Mount[]): void {
  const taken = new Set<string>()
  for (const { path } of mounts) {
    if (taken.has(path)) throw new TypeError(`${path} is served already; mount it at another path`)
    taken.add(path)
  }
}

/** Reading across sites is harmless: the browser keeps the answer from the page. */
function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function toMcpOptions(options: AppOptions): McpHandlerOptions {
  return { ...toGuardOptions(options), ...(options.mcp || {}) }
}

/** Surfaces that can be mounted alone have a guard of their own; here it is the same one. */
function toGuardOptions({ allowedHosts, allowedOrigins, publicUrl }: AppOptions): GuardOptions {
  return {
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(publicUrl !== undefined && { publicUrl }),
  }
}

function mcpMounts(handler: HttpHandler, { mcp }: AppOptions): readonly Mount[] {
  const authorization = mcp ? mcp.authorization : undefined
  const metadata = authorization && createProtectedResourceHandler(authorization)
  return [
    { path: '/mcp', match: 'exact', handler },
    ...(authorization && metadata
      ? metadataPaths(authorization).map((path) => ({
          path,
          match: 'exact' as const,
          handler: metadata,
        }))
      : []),
  ]
}

function toOrigin({ publicUrl }: AppOptions): { readonly origin?: string } {
  return publicUrl === undefined ? {} : { origin: parsePublicUrl(publicUrl).origin }
}

function ownProfile({ profile }: Service, { publicUrl }: AppOptions): ProfileOptions | undefined {
  if (profile === undefined || publicUrl === undefined) return undefined
  return { ...profile, origin: parsePublicUrl(publicUrl).origin }
}

function explorerMounts(service: Service, options: AppOptions): readonly Mount[] {
  if (options.explorer === false) return []
  const prefix = options.explorer?.prefix ?? '/explorer'
  const handler = createServiceToolApi(service, {
    ...toGuardOptions(options),
    ...options.explorer,
  })
  const redirect: HttpHandler = () => ({
    status: 302,
    headers: { location: `${prefix}/` },
    body: '',
  })
  return [
    { path: prefix, match: 'prefix', handler },
    { path: '/', match: 'exact', handler: redirect },
  ]
}

function findPrefix(mounts: readonly Mount[], path: string): HttpHandler | undefined {
  return mounts.find((mount) => path.startsWith(`${mount.path}/`))?.handler
}

function notFound(path: string): HttpResponse {
  return problemResponse(404, `Nothing is served at ${path.slice(0, 200)}`)
}
