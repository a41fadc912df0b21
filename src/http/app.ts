import type { Service } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import {
  type CallerKey,
  createGuard,
  createLocalJudge,
  createProxyReader,
  type GuardOptions,
  type LocalOptions,
  type ProxyOptions,
} from '../net/index.ts'
import type { MetricsOption } from '../observe/index.ts'
import type { Mount, Surface } from '../surfaces/surface/index.ts'
import { reportHealth } from '../system/index.ts'
import { andThen, isPromise, type Maybe, once } from '../values/index.ts'
import type { HttpRequest, HttpResponse } from '../wire/index.ts'
import { assertSurfaces, mountSurfaces } from './mount.ts'
import type { Load } from './overload.ts'
import type { OverloadGuard } from './overload-guard.ts'
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
  /** Tells whether the body of a request is handed over as it arrives, instead of being read first. */
  readonly takesStream?: (path: string, contentType: string) => boolean
  /** What there is to do, where `overload` is on. */
  readonly load?: () => Load
  /** Says that the process is about to end: readiness answers 503, and node:http closes connections after their answer. */
  readonly drain?: () => void
  readonly isDraining?: () => boolean
  /** Ends streams that would otherwise stay open; the service itself is closed by its owner. */
  readonly close?: () => void
}

/** How a service is put on HTTP. */
export interface AppOptions extends GuardOptions, LocalOptions, ProxyOptions {
  /** What the service is served over: `[forrst(), rest()]`, or `allSurfaces()`. */
  readonly surfaces: readonly Surface[]
  /**
   * Where the world reaches the service, such as `https://api.example.com`: its host is allowed, its profile is built on
   * it, and unless it is this machine, no caller is taken to be on this machine.
   */
  readonly publicUrl?: string
  /**
   * Names the caller whose memory and budgets are counted, on REST and MCP; its principal when absent, otherwise the
   * network its connection comes from. Behind a proxy, set `trustedProxies`.
   */
  readonly callerKey?: CallerKey
  /** Refuses calls with 503 and `Retry-After` while there are more than the process can take: `overload()`; off when absent. */
  readonly overload?: OverloadGuard | false
  /** Publishes metrics: `prometheus()`; none when absent, and then nothing is counted. */
  readonly metrics?: MetricsOption
  /** Further handlers, such as the webhooks of triggers. */
  readonly mounts?: readonly Mount[]
}

/**
 * Puts the surfaces of a service, and its health probes, behind one handler.
 *
 * @example
 * createApp(service, { surfaces: [forrst(), rest()] })
 */
export function createApp(service: Service, options: AppOptions): App {
  assertSurfaces('createApp', options)
  let draining = false
  const isDraining = (): boolean => draining
  const probes = createProbes(service, isDraining)
  const metrics = attachMetrics(service, options.metrics, () => gate.load?.())
  const { mounts: ofSurfaces, close } = mountSurfaces(service, options)
  const mounts: readonly Mount[] = [
    ...ofSurfaces,
    { path: PROBES[0], match: 'exact', handler: probes.live },
    { path: PROBES[1], match: 'exact', handler: probes.ready },
    ...(metrics ? [metrics.mount] : []),
    ...(options.mounts ?? []),
  ]
  refuseTakenPaths(mounts)
  const find = createFinder(mounts)
  const guard = createGuard(options)
  const readProxies = createProxyReader(options)
  const judgeLocal = createLocalJudge(options)
  const shares = (options.allowedOrigins ?? []).length > 0

  /** What a surface or a mount throws must reach the log, and nobody else. */
  function answer(request: HttpRequest): Maybe<HttpResponse> {
    try {
      const response = route(request)
      return isPromise(response)
        ? response.catch((thrown: unknown) => fail(service, request, thrown))
        : response
    } catch (thrown) {
      return fail(service, request, thrown)
    }
  }

  // Nearly every request names the host that the last one named.
  let lastHost: string | undefined
  function refuseHost(request: HttpRequest): HttpResponse | undefined {
    const host = request.header('host')
    if (host !== undefined && host === lastHost) return undefined
    const malformed = judgeHostForm(host)
    if (malformed !== undefined) return refuse(request.path, malformed)
    const refused = guard.judgeHost(request)
    if (refused !== undefined) return problemResponse(403, refused)
    lastHost = host
    return undefined
  }

  function route(sent: HttpRequest): Maybe<HttpResponse> {
    const request = readProxies?.(sent) ?? sent
    // Both names must be allowed: a proxy may pass on a header that a page made up.
    const refusal = refuseHost(sent) ?? (request === sent ? undefined : refuseHost(request))
    if (refusal !== undefined) return refusal
    const refused = isRead(request) ? undefined : guard.judgeSite(request)
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
  const gate = options.overload
    ? options.overload.attach(service, {
        refuse,
        isExempt: (path) => isProbe(path, options.metrics?.path),
      })
    : {}
  const served = gate.around?.(shared) ?? shared
  // Not now: an app may be made where a module is evaluated, and some runtimes allow no timers there.
  const begin = once(service.start)
  const app: App = {
    maxRequestBytes: service.limits.maxRequestBytes,
    knows: (path) => find(path) !== undefined,
    takesStream: (path, contentType) => find(path)?.takesStream?.(contentType) === true,
    refuse,
    isDraining,
    drain() {
      draining = true
    },
    close,
    ...gate,
    handle(request) {
      begin()
      return served(request)
    },
  }
  return metrics
    ? countAnswers(app, (path, status) => metrics.count(find(path)?.path, status))
    : app
}

function fail({ log }: Service, { path }: HttpRequest, error: unknown): HttpResponse {
  log.error('a request failed unexpectedly', { path, error })
  return problemResponse(500, 'Internal error')
}

interface MountedMetrics {
  readonly mount: Mount
  readonly count: (mount: string | undefined, status: number) => void
}

function attachMetrics(
  service: Service,
  option: MetricsOption | undefined,
  load: () => Load | undefined,
): MountedMetrics | undefined {
  if (option === undefined) return undefined
  const health = async () =>
    (await reportHealth(service, { signal: AbortSignal.timeout(HEALTH_MS) })).components
  const { handler, count } = option.attach(service, { load, health })
  return {
    mount: { path: option.path, match: 'exact', handler },
    count: (mount, status) => count(mount ?? 'none', status),
  }
}

/** Counts what an app answers, also to requests that are refused before it sees them. */
function countAnswers(app: App, count: (path: string, status: number) => void): App {
  const { handle, refuse, refuseEarly } = app
  const counted = (path: string, response: HttpResponse): HttpResponse => {
    count(path, response.status)
    return response
  }
  return {
    ...app,
    handle: (request) => andThen(handle(request), (response) => counted(request.path, response)),
    ...(refuse && { refuse: (path, error) => counted(path, refuse(path, error)) }),
    ...(refuseEarly && {
      refuseEarly(path) {
        const refused = refuseEarly(path)
        return refused && counted(path, refused)
      },
    }),
  }
}

/** How long a reader of metrics waits for the state of components. */
const HEALTH_MS = 5_000

/** Always answered: whoever asks them would end a process that is only busy. */
const PROBES = ['/health/live', '/health/ready'] as const

function isProbe(path: string, metrics: string | undefined): boolean {
  return path === PROBES[0] || path === PROBES[1] || path === metrics
}

/** A Host with a user, a blank, or a second name in it is read differently by whatever stands in between. */
function judgeHostForm(host: string | undefined): CallError | undefined {
  if (host === undefined || HOST_FORM.test(host)) return undefined
  return new CallError('INVALID_REQUEST', {
    message: 'The Host header must be one name or address, with a port or without',
    status: 400,
  })
}

const HOST_FORM = /^[^\s,@/\\?#]*$/

/** Creates what finds the mount that answers at a path. */
function createFinder(mounts: readonly Mount[]): (path: string) => Mount | undefined {
  const exact = new Map(mounts.map((mount) => [mount.path, mount]))
  // The longest first: one at the root takes what nobody else does.
  const prefixes = mounts
    .filter(({ match }) => match === 'prefix')
    .sort((left, right) => right.path.length - left.path.length)
  return (path) => exact.get(path) ?? findPrefix(prefixes, path)
}

/** A webhook at the path of a surface would silently take its place. */
function refuseTakenPaths(mounts: readonly Mount[]): void {
  const taken = new Set<string>()
  for (const { path } of mounts) {
    if (taken.has(path)) throw new TypeError(`${path} is served already; mount it at another path`)
    taken.add(path)
  }
  for (const mount of mounts) {
    for (const path of mount.paths?.() ?? []) {
      const other = mounts.find((one) => one !== mount && takes(one, path, mount))
      if (other === undefined) continue
      throw new TypeError(`${path} is served already, by what is mounted at ${other.path}`)
    }
  }
}

/** Tells whether a mount takes requests for a path away from the one that lists it. */
function takes(mount: Mount, path: string, owner: Mount): boolean {
  const own = mount.path.split('/')
  const segments = path.split('/')
  const isBelow = mount.match === 'prefix' && own.length < segments.length
  // Of two prefixes the longer one is asked.
  if (isBelow && mount.path.length < owner.path.length) return false
  if (!isBelow && own.length !== segments.length) return false
  return own.every((segment, at) => segment === segments[at] || segments[at]?.startsWith('{'))
}

/** Reading across sites is harmless: the browser keeps the answer from the page. */
function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function findPrefix(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find((mount) => path.startsWith(`${mount.path}/`))
}

function notFound(path: string): HttpResponse {
  return problemResponse(404, `Nothing is served at ${path.slice(0, 200)}`)
}
