import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import { McpError, RPC } from './errors.ts'
import { encodeFailure } from './http-answer.ts'

/** Which names and pages may reach the server. */
export interface GuardOptions {
  /** Host names, without port, besides localhost, 127.0.0.1 and [::1]; `'*'` only behind a proxy that checks them. */
  readonly allowedHosts?: readonly string[] | '*'
  /** Origins of pages, besides the server's own, that may use it: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
}

/** Looks at who sent a request, before anything else does. */
export interface Guard {
  readonly refuse: (request: HttpRequest) => HttpResponse | undefined
  /** Lets a page of an allowed origin read the answer. */
  readonly share: (request: HttpRequest, response: HttpResponse) => HttpResponse
  /** Answers the question of a browser whether a page may send a request. */
  readonly preflight: (request: HttpRequest) => HttpResponse | undefined
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const MOST_KNOWN = 100

/**
 * Creates the guard of one server. It stands in the handler itself, because a server on localhost that somebody
 * mounts without a guard can be called by any page: directly, or by rebinding its own name to 127.0.0.1.
 */
export function createGuard({ allowedHosts = [], allowedOrigins = [] }: GuardOptions): Guard {
  const hosts = allowedHosts === '*' ? undefined : new Set([...LOOPBACK, ...allowedHosts])
  const origins = new Set(allowedOrigins)
  // Clients repeat the same Host header; remembering it saves parsing. Bounded, because the header is foreign.
  const known = new Set<string>()

  const isAllowedHost = (host: string): boolean => {
    if (hosts === undefined || known.has(host)) return true
    if (!hosts.has(hostName(host))) return false
    if (known.size < MOST_KNOWN) known.add(host)
    return true
  }

  return {
    refuse({ header }) {
      const host = header('host') ?? header(':authority')
      if (host === undefined || !isAllowedHost(host)) {
        return refuse(`Host "${host?.slice(0, 100) ?? ''}" is not allowed; see allowedHosts`)
      }
      const origin = header('origin')
      if (origin === undefined || origins.has(origin) || isSameHost(origin, host)) return undefined
      return refuse(`Origin ${origin.slice(0, 100)} is not allowed; see allowedOrigins`)
    },
    share(request, response) {
      const origin = origins.size === 0 ? undefined : request.header('origin')
      if (origin === undefined || !origins.has(origin)) return response
      return {
        ...response,
        headers: {
          ...response.headers,
          'access-control-allow-origin': origin,
          'access-control-expose-headers': 'mcp-session-id, www-authenticate',
          vary: 'origin',
        },
      }
    },
    preflight(request) {
      const origin = request.header('origin')
      if (request.method !== 'OPTIONS' || origin === undefined || !origins.has(origin)) {
        return undefined
      }
      return { status: 204, headers: PREFLIGHT_HEADERS, body: '' }
    },
  }
}

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST, GET, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
} as const

function hostName(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':')
  return (end <= 0 ? host : host.slice(0, end)).toLowerCase()
}

function isSameHost(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

function refuse(message: string): HttpResponse {
  return encodeFailure(undefined, new McpError(RPC.invalidRequest, message, { status: 403 }))
}
