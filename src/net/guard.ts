import type { HttpRequest, HttpResponse } from '../wire/index.ts'
import { parsePublicUrl, readHost, toHostName } from './local.ts'

/** Which names and sites may reach a service. */
export interface GuardOptions {
  /** Host names, without port, besides loopback names and plain addresses; `*` switches the check off. */
  readonly allowedHosts?: readonly string[] | '*'
  /** Origins of other sites whose pages may call the service: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
  /** Where the world reaches the service, such as `https://api.example.com`: its host is allowed, its pages are our own. */
  readonly publicUrl?: string
}

/**
 * Looks at who sent a request, before anything else does. A page on another site can make a browser send requests to a
 * service on localhost: directly (its Origin tells) or by rebinding its own name to 127.0.0.1 (its Host tells).
 */
export interface Guard {
  /** Says why the Host is refused; undefined when it may pass. */
  readonly judgeHost: (request: HttpRequest) => string | undefined
  /** Says why a request that a page of another site sent is refused; undefined when it may pass. */
  readonly judgeSite: (request: HttpRequest) => string | undefined
  /** Answers a preflight request of an allowed origin. */
  readonly preflight: (request: HttpRequest) => HttpResponse | undefined
  /** Adds the CORS headers an allowed origin needs. */
  readonly share: (request: HttpRequest, response: HttpResponse) => HttpResponse
}

/** What pages of allowed origins may send: the headers of every surface. */
const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'traceparent',
  'tracestate',
  'ucp-agent',
]

/** What they may read of an answer besides its body. */
const RESPONSE_HEADERS = 'etag, mcp-session-id, retry-after, www-authenticate, x-forrst-request-id'

/** How many Host values are remembered as fine; the header is foreign, so the memory is bounded. */
const MAX_KNOWN = 100
/** The longest name that DNS knows, with a port. */
const LONGEST_NAME = 260

/** Creates the check in front of a surface, or of all of them. */
export function createGuard(options: GuardOptions): Guard {
  const { allowedHosts = [], allowedOrigins = [] } = options
  const own = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl)
  const hosts =
    allowedHosts === '*'
      ? undefined
      : new Set([...allowedHosts, ...(own ? [own.host] : [])].map(toHostName))
  const origins = new Set(allowedOrigins)
  const known = new Set<string>()

  return {
    judgeHost(request) {
      const host = readHost(request)
      if (hosts === undefined || host === undefined || known.has(host)) return undefined
      if (!isAddressOrLoopback(host) && !hosts.has(toHostName(host))) {
        const name = toHostName(host).slice(0, 100)
        return `Host "${name}" is not allowed; to serve under this name, set publicUrl (--public-url https://${name}), or allowedHosts (--allow-host ${name}) for one name of several`
      }
      if (known.size < MAX_KNOWN && host.length <= LONGEST_NAME) known.add(host)
      return undefined
    },
    judgeSite(request) {
      const origin = request.header('origin')
      if (isSameOrigin(request, origin, own?.origin)) return undefined
      if (origin !== undefined && origins.has(origin)) return undefined
      return `Requests from pages of ${origin?.slice(0, 100) ?? 'another site'} are refused; add the origin to allowedOrigins (--allow-origin) if they should be allowed`
    },
    preflight(request) {
      const origin = request.header('origin')
      const asked = request.header('access-control-request-method')
      if (origin === undefined || asked === undefined || !origins.has(origin)) return undefined
      return {
        status: 204,
        headers: {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
          'access-control-allow-headers': REQUEST_HEADERS.join(', '),
          'access-control-max-age': '600',
          vary: 'origin',
        },
        body: '',
      }
    },
    share(request, response) {
      const origin = origins.size === 0 ? undefined : request.header('origin')
      if (origin === undefined || !origins.has(origin)) return response
      return { ...response, headers: { ...response.headers, ...corsHeaders(origin, response) } }
    },
  }
}

/**
 * Browsers state the site themselves; older ones give an Origin, which must name the host that was asked. A proxy that
 * ends TLS may ask for another host than the browser did: the origin of the public URL is then our own.
 */
function isSameOrigin(
  request: HttpRequest,
  origin: string | undefined,
  own: string | undefined,
): boolean {
  const site = request.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  if (origin === undefined || origin === own) return true
  return origin.replace(/^https?:\/\//, '') === readHost(request)?.toLowerCase()
}

/** A rebinding attack needs a DNS name: an address, or a name that always means this machine, cannot be one. */
function isAddressOrLoopback(host: string): boolean {
  return /^(?:[\w-]+\.)*localhost\.?(?::\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(
    host,
  )
}

function corsHeaders(origin: string, response: HttpResponse): Record<string, string> {
  const vary = response.headers['vary']
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': RESPONSE_HEADERS,
    'cross-origin-resource-policy': 'cross-origin',
    vary: vary === undefined || vary === 'origin' ? 'origin' : `${String(vary)}, origin`,
  }
}
