import type { HttpRequest, HttpResponse } from '../wire/index.ts'
import { parsePublicUrl, readHost, toHostName } from './local.ts'

/** Which names and sites may reach a service. */
export interface GuardOptions {
  /** Host names, without port, besides loopback names and plain addresses; `*` switches the check off. */
  readonly allowedHosts?: readonly string[] | '*'
  /** Origins of other sites whose pages may call the service: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
  /** What else pages of these origins may do. */
  readonly cors?: CorsOptions
  /** Where the world reaches the service, such as `https://api.example.com`: its host is allowed, its pages are our own. */
  readonly publicUrl?: string
}

/** What pages of allowed origins may do besides calling. */
export interface CorsOptions {
  /** Request headers besides those of the surfaces, such as one that holds an argument. */
  readonly headers?: readonly string[]
  /** Response headers that they may read, besides those of the surfaces. */
  readonly expose?: readonly string[]
  /** Lets browsers send cookies; false when absent. */
  readonly credentials?: boolean
  /** How long a browser remembers what is allowed; ten minutes when absent. */
  readonly maxAgeSeconds?: number
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
  'if-none-match',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'prefer',
  'traceparent',
  'tracestate',
  'ucp-agent',
  'waymark-deadline',
  'waymark-dry-run',
  'waymark-extensions',
  'waymark-simulation',
  'x-request-id',
]

/** What they may read of an answer besides its body. */
const RESPONSE_HEADERS = [
  'etag',
  'location',
  'mcp-session-id',
  'retry-after',
  'ucp-negotiated',
  'www-authenticate',
  'x-forrst-request-id',
  'x-request-id',
]

/** How many Host values are remembered as fine; the header is foreign, so the memory is bounded. */
const MAX_KNOWN = 100
/** The longest name that DNS knows, with a port. */
const LONGEST_NAME = 260

/** Creates the check in front of a surface, or of all of them. */
export function createGuard(options: GuardOptions): Guard {
  const { allowedHosts = [], allowedOrigins = [], cors = {} } = options
  const requestHeaders = joinNames('headers', REQUEST_HEADERS, cors.headers)
  const exposed = joinNames('expose', RESPONSE_HEADERS, cors.expose)
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
          'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': requestHeaders,
          'access-control-max-age': String(cors.maxAgeSeconds ?? 600),
          ...(cors.credentials && { 'access-control-allow-credentials': 'true' }),
          vary: 'origin',
        },
        body: '',
      }
    },
    share(request, response) {
      const origin = origins.size === 0 ? undefined : request.header('origin')
      if (origin === undefined || !origins.has(origin)) return response
      return {
        ...response,
        headers: { ...response.headers, ...corsHeaders(origin, response, exposed, cors) },
      }
    },
  }
}

const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/

function joinNames(field: string, own: readonly string[], more: readonly string[] = []): string {
  const wrong = more.find((name) => !HEADER_NAME.test(name))
  if (wrong !== undefined) throw new TypeError(`cors.${field}: "${wrong}" is not a header name`)
  return [...own, ...more.map((name) => name.toLowerCase())].join(', ')
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
  const [, scheme, host] = /^(https?):\/\/(.*)$/.exec(origin) ?? []
  if (request.scheme !== undefined && request.scheme !== scheme) return false
  return host !== undefined && host === readHost(request)?.toLowerCase()
}

/** A rebinding attack needs a DNS name: an address, or a name that always means this machine, cannot be one. */
function isAddressOrLoopback(host: string): boolean {
  return /^(?:[\w-]+\.)*localhost\.?(?::\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(
    host,
  )
}

function corsHeaders(
  origin: string,
  response: HttpResponse,
  exposed: string,
  { credentials }: CorsOptions,
): Record<string, string> {
  const vary = response.headers['vary']
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    'cross-origin-resource-policy': 'cross-origin',
    vary: vary === undefined || vary === 'origin' ? 'origin' : `${String(vary)}, origin`,
  }
}
