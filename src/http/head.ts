import type { IncomingMessage } from 'node:http'
import { CallError } from '../errors/index.ts'

/** Headers of which a request has at most one: node:http takes the first, a proxy in front of it perhaps the last. */
const SINGLE: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'content-type',
  'authorization',
  'content-length',
  'mcp-session-id',
])

/** Finds what makes the head of a request ambiguous: a header twice, two names, a coding nobody asked for. */
export function judgeHead({
  rawHeaders,
  headers,
  url = '/',
}: IncomingMessage): CallError | undefined {
  // node:http joins or drops a header that comes again: as many names as headers says that none did.
  if (countNames(headers) * 2 !== rawHeaders.length) {
    const twice = findTwice(rawHeaders)
    if (twice !== undefined) return refuse(400, `The request has more than one ${twice} header`)
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return refuse(501, 'Transfer-Encoding must be chunked; send the body as it is')
  }
  if (url.startsWith('/')) return undefined
  const authority = ABSOLUTE.exec(url)?.[1]
  if (authority === undefined || authority.toLowerCase() === headers.host?.toLowerCase()) {
    return undefined
  }
  return refuse(400, 'The address of the request and its Host header name different hosts')
}

function countNames(headers: object): number {
  let count = 0
  for (const _ in headers) count += 1
  return count
}

function findTwice(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return rawHeaders.find((name, index) => {
    const lower = index % 2 === 0 ? name.toLowerCase() : ''
    if (!SINGLE.has(lower)) return false
    if (seen.has(lower)) return true
    seen.add(lower)
    return false
  })
}

/** Gives the path and query of a request, also of one that names the whole address (RFC 9112, 3.2.2). */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const whole = ABSOLUTE.exec(target)
  if (whole === null) return target
  const rest = target.slice(whole[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i

function refuse(status: number, message: string): CallError {
  return new CallError('INVALID_REQUEST', { message, status })
}
