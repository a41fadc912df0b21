import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import { problemResponse } from './problem.ts'

/** Which names and pages may reach the service. */
export interface GuardOptions {
  /**
   * Host names, without port, under which the service is reached, besides localhost, 127.0.0.1 and [::1].
   * `'*'` accepts every name: only behind a proxy that checks them.
   */
  readonly allowedHosts?: readonly string[] | '*'
  /** Origins of pages, besides the service's own, that may call it: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Creates the check in front of every surface. A page on another site can make a browser send requests to a service
 * on localhost: directly (its Origin tells) or by rebinding its own name to 127.0.0.1 (its Host tells).
 */
export function createGuard(
  options: GuardOptions,
): (request: HttpRequest) => HttpResponse | undefined {
  const hosts = new Set([
    ...LOOPBACK,
    ...(options.allowedHosts === '*' ? [] : (options.allowedHosts ?? [])),
  ])
  const anyHost = options.allowedHosts === '*'
  const origins = new Set(options.allowedOrigins)
  // Clients repeat the same Host header; remembering it saves parsing. Bounded, because the header is foreign.
  const known = new Set<string>()

  const isAllowedHost = (host: string): boolean => {
    if (anyHost || known.has(host)) return true
    if (!hosts.has(hostName(host))) return false
    if (known.size < 100) known.add(host)
    return true
  }

  return (request) => {
    const host = request.header('host') ?? request.header(':authority')
    if (host === undefined || !isAllowedHost(host)) return refuseHost(host)
    const origin = request.header('origin')
    if (origin !== undefined) {
      return isSameHost(origin, host) || origins.has(origin) ? undefined : refuseOrigin(origin)
    }
    const site = request.header('sec-fetch-site')
    if (site === 'cross-site' && request.method !== 'GET') return refuseOrigin('another site')
    return undefined
  }
}

function hostName(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':')
  return (end <= 0 ? host : host.slice(0, end)).toLowerCase()
}

function isSameHost(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

function refuseHost(host: string | undefined): HttpResponse {
  const name = host === undefined ? '' : hostName(host).slice(0, 100)
  return problemResponse(
    403,
    host === undefined
      ? 'The request has no Host header'
      : `Host "${name}" is not allowed; if the service is meant to be reached under this name, add it to allowedHosts (--allow-host ${name})`,
  )
}

function refuseOrigin(origin: string): HttpResponse {
  return problemResponse(
    403,
    `Requests from pages of ${origin.slice(0, 100)} are not allowed; add the origin to allowedOrigins (--allow-origin) if they should be`,
  )
}
