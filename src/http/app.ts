import type { Service } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import {
  type CallerKey,
  createGuard,
  createLocalJudge,
  type GuardOptions,
  isLoopbackHost,
  type LocalOptions,
  parsePublicUrl,
} from '../net/index.ts'
import { createForrstHandler, refuseForrst } from '../surfaces/forrst/index.ts'
import {
  createMcpHandler,
  createProtectedResourceHandler,
  type McpHandlerOptions,
  metadataPaths,
  refuseMcp,
} from '../surfaces/mcp/index.ts'
import {
  createProfileSurface,
  type ProfileOptions,
  type ProfileSurface,
} from '../surfaces/profile/index.ts'
import {
  createLlmsHandler,
  createOpenApiHandler,
  createOpenRpcHandler,
  createRestHandler,
  refuseRest,
} from '../surfaces/rest/index.ts'
import {
  createServiceToolApi,
  refuseTools,
  type ServiceToolApiOptions,
} from '../surfaces/tools/index.ts'
import { andThen, isPromise, type Maybe } from '../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../wire/index.ts'
import { createOverload, type Load, type Overload, type OverloadOptions } from './overload.ts'
import { createProbes, problemResponse, toProblem } from './problem.ts'

/** Every surface of a service behind one door; hosts only translate. */
export interface App {
  readonly handle: (request: HttpRequest) => Maybe<HttpResponse>
  /** Tells whether anything is served at a path. */
  readonly knows: (path: string) => boolean
  /** Bodies longer than this are refused. */
  readonly maxRequestBytes: number
  /** Answers a request that is refused by its head, in the form of the surface it was meant for. */
  readonly refuse?: (path: string, error: CallError) => HttpResponse
  /** Refuses a request before its body is read, when there is no room for another call. */
  readonly refuseEarly?: (path: string) => HttpResponse | undefined
  /** What there is to do, where `overload` is on. */
  readonly load?: () => Load
  /** Ends streams that would otherwise stay open; the service itself is closed by its owner. */
  readonly close?: () => void
}

/** Where a handler stands; `prefix` mounts also get everything below their path. */
export interface Mount {
  readonly path: string
  readonly match: 'exact' | 'prefix'
  readonly handler: HttpHandler
  /** Words what is refused before the handler sees it; problem details (RFC 9457) when absent. */
  readonly refuse?: (error: CallError) => HttpResponse
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
  /**
   * Names the caller whose memory and budgets are counted, on REST and MCP; its principal when absent, otherwise the
   * network its connection comes from. Behind a proxy, read the header that the proxy sets.
   */
  readonly callerKey?: CallerKey
  /** Refuses calls with 503 and `Retry-After` while there are more than the process can take; off when absent. */
  readonly overload?: OverloadOptions | false
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
      refuse: (error) => refuseForrst(service, error),
    },
    ...(mcp ? mcpMounts(mcp, options) : []),
    { path: '/api', match: 'prefix', handler: rest, refuse: (error) => refuseRest(service, error) },
    ...(profile
      ? [{ path: '/.well-known/ucp', match: 'exact' as const, handler: profile.handler }]
      : []),
    { path: '/openapi.json', match: 'exact', handler: createOpenApiHandler(service) },
    { path: '/openrpc.json', match: 'exact', handler: createOpenRpcHandler(service) },
    { path: '/llms.txt', match: 'exact', handler: createLlmsHandler(service, toOrigin(options)) },
    ...explorerMounts(service, options),
    { path: PROBES[0], match: 'exact', handler: probes.live },
    { path: PROBES[1], match: 'exact', handler: probes.ready },
  ]
  const mounts = [...builtIn, ...(options.mounts ?? [])]
  refuseTakenPaths(mounts)
  const exact = new Map(mounts.map((mount) => [mount.path, mount]))
  const prefixes = mounts.filter(({ match }) => match === 'prefix')
  const guard = createGuard(options)
  const judgeLocal = createLocalJudge(options)
  const shares = (options.allowedOrigins ?? []).length > 0
  const find = (path: string) => exact.get(path) ?? findPrefix(prefixes, path)

  /** What a surface or a mount throws must reach the log, and nobody else. */
  function answer(request: HttpRequest): Maybe<HttpResponse> {
    const fail = (error: unknown): HttpResponse => {
      service.log.error('a request failed unexpectedly', { path: request.path, error })
      return problemResponse(500, 'Internal error')
    }
    try {
      const response = route(request)
      return isPromise(response) ? response.catch(fail) : response
    } catch (thrown) {
      return fail(thrown)
    }
  }

  function route(request: HttpRequest): Maybe<HttpResponse> {
    const malformed = judgeHostForm(request)
    if (malformed !== undefined) return refuse(request.path, malformed)
    const refused =
      guard.judgeHost(request) ?? (isRead(request) ? undefined : guard.judgeSite(request))
    if (refused !== undefined) return problemResponse(403, refused)
    const preflight = request.method === 'OPTIONS' ? guard.preflight(request) : undefined
    if (preflight !== undefined) return preflight
    const mount = find(request.path)
    return mount === undefined ? notFound(request.path) : mount.handler(request, judgeLocal)
  }

  const refuse = (path: string, error: CallError): HttpResponse =>
    find(path)?.refuse?.(error) ?? toProblem(error)
  const shared: App['handle'] = shares
    ? (request) => andThen(answer(request), (response) => guard.share(request, response))
    : answer
  const gate = options.overload ? createGate(createOverload(options.overload), service, refuse) : {}
  return {
    maxRequestBytes: service.limits.maxRequestBytes,
    knows: (path) => find(path) !== undefined,
    refuse,
    ...(mcp && { close: mcp.close }),
    ...gate,
    handle: gate.around?.(shared) ?? shared,
  }
}

/** Always answered: whoever asks them would end a process that is only busy. */
const PROBES = ['/health/live', '/health/ready'] as const

function isProbe(path: string): boolean {
  return path === PROBES[0] || path === PROBES[1]
}

/** How often it is said that calls are refused. */
const NOTICE_MS = 10_000

type Gate = Pick<App, 'refuseEarly' | 'load'> & {
  readonly around?: (handle: App['handle']) => App['handle']
}

/** Puts every request but probes behind the gate. */
function createGate(
  overload: Overload,
  { log, clock }: Service,
  refuse: (path: string, error: CallError) => HttpResponse,
): Gate {
  const { retryAfterSeconds, isFull, load, run } = overload
  let noticedAt = Number.NEGATIVE_INFINITY
  const refuseBusy = (path: string): HttpResponse => {
    if (clock.elapsed() - noticedAt > NOTICE_MS) {
      noticedAt = clock.elapsed()
      log.warn('calls are refused: there are more than this process can take', { ...load() })
    }
    return refuse(
      path,
      new CallError('UNAVAILABLE', {
        message: 'There are more calls than this service can take; try again later',
        details: { retry_after: { value: retryAfterSeconds, unit: 'second' } },
        status: 503,
      }),
    )
  }
  return {
    load,
    refuseEarly: (path) => (!isProbe(path) && isFull() ? refuseBusy(path) : undefined),
    around: (handle) => (request) =>
      isProbe(request.path)
        ? handle(request)
        : run(
            () => handle(request),
            () => refuseBusy(request.path),
          ),
  }
}

/** A Host with a user, a blank, or a second name in it is read differently by whatever stands in between. */
function judgeHostForm({ header }: HttpRequest): CallError | undefined {
  const host = header('host')
  if (host === undefined || HOST_FORM.test(host)) return undefined
  return new CallError('INVALID_REQUEST', {
    message: 'The Host header must be one name or address, with a port or without',
    status: 400,
  })
}

const HOST_FORM = /^[^\s,@/\\?#]*$/

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
    rest: createRestHandler(service, { ...admit, ...toCallerKey(options) }),
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

function toCallerKey({ callerKey }: AppOptions): { readonly callerKey?: CallerKey } {
  return callerKey === undefined ? {} : { callerKey }
}

function toMcpOptions(options: AppOptions): McpHandlerOptions {
  return { ...toCallerKey(options), ...toGuardOptions(options), ...(options.mcp || {}) }
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
    { path: '/mcp', match: 'exact', handler, refuse: refuseMcp },
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
    { path: prefix, match: 'prefix', handler, refuse: refuseTools },
    { path: '/', match: 'exact', handler: redirect },
  ]
}

function findPrefix(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find((mount) => path.startsWith(`${mount.path}/`))
}

function notFound(path: string): HttpResponse {
  return problemResponse(404, `Nothing is served at ${path.slice(0, 200)}`)
}
