import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import { refuse } from './errors.ts'

/** Which names and sites may reach the tool API. */
export interface GuardOptions {
  /** Host names a browser may use, without port; loopback names and plain addresses always work. */
  readonly allowedHosts: readonly string[] | '*'
  /** Other origins whose pages may read and call: `https://docs.example.com`. */
  readonly allowedOrigins: readonly string[]
}

/** Looks at who sent a request, before anything else does. */
export interface Guard {
  /** Refuses a Host that only a rebound DNS name could have produced. */
  readonly checkHost: (request: HttpRequest) => HttpResponse | undefined
  /** Refuses a request that a page of another site sent. */
  readonly checkSite: (request: HttpRequest) => HttpResponse | undefined
  /** Adds the CORS headers an allowed origin needs. */
  readonly share: (request: HttpRequest, response: HttpResponse) => HttpResponse
  /** Answers a preflight request of an allowed origin. */
  readonly preflight: (request: HttpRequest) => HttpResponse | undefined
}

/** Makes the guard of one tool API. */
export function createGuard({ allowedHosts, allowedOrigins }: GuardOptions): Guard {
  const hosts =
    allowedHosts === '*' ? undefined : new Set(allowedHosts.map((host) => host.toLowerCase()))
  const origins = new Set(allowedOrigins)

  return {
    checkHost(request) {
      const host = request.header('host') ?? request.header(':authority')
      if (hosts === undefined || host === undefined || isAddressOrLoopback(host)) return undefined
      const name = toHostName(host)
      if (hosts.has(name)) return undefined
      return refuse(403, `Host ${name} is not allowed; add it to allowedHosts.`)
    },
    checkSite(request) {
      if (isSameOrigin(request) || origins.has(request.header('origin') ?? '')) return undefined
      return refuse(403, 'Requests from other sites are refused; add the origin to allowedOrigins.')
    },
    share(request, response) {
      const origin = request.header('origin')
      if (origins.size === 0 || origin === undefined || !origins.has(origin)) return response
      return { ...response, headers: { ...response.headers, ...corsHeaders(origin, response) } }
    },
    preflight(request) {
      const origin = request.header('origin')
      const asked = request.header('access-control-request-method')
      if (origin === undefined || asked === undefined || !origins.has(origin)) return undefined
      return {
        status: 204,
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, HEAD, POST',
          'access-control-allow-headers': 'authorization, content-type',
          'access-control-max-age': '600',
          vary: 'origin',
        },
        body: '',
      }
    },
  }
}

/** Browsers state the site themselves; older ones give an Origin, which must name the host that was asked. */
function isSameOrigin(request: HttpRequest): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = request.header('origin')
  return origin === undefined || origin.replace(/^https?:\/\//, '') === request.header('host')
}

/** A rebinding attack needs a DNS name: an address, or a name that always means this machine, cannot be one. */
function isAddressOrLoopback(host: string): boolean {
  return /^(?:[\w-]+\.)*localhost(?::\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(
    host,
  )
}

function toHostName(host: string): string {
  return host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase()
}

function corsHeaders(origin: string, response: HttpResponse): Record<string, string> {
  const vary = response.headers['vary']
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'etag',
    'cross-origin-resource-policy': 'cross-origin',
    vary: vary === undefined ? 'origin' : `${String(vary)}, origin`,
  }
}
