import type { IncomingMessage } from 'node:http'
import { CallError } from '../errors/index.ts'

/** Headers of which a request has at most one: node:http takes the first, a proxy in front of it perhaps the last. */
const SINGLE: ReadonlyMap<string, number> = new Map([
  ['host', 1],
  ['origin', 2],
  ['content-type', 4],
  ['authorization', 8],
  ['content-length', 16],
  ['mcp-session-id', 32],
])

/** Finds what makes the head of a request ambiguous: a header twice, two names, a coding nobody asked for. */
export function judgeHead({ rawHeaders, headers, url }: IncomingMessage): CallError | undefined {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const bit = SINGLE.get(name) ?? SINGLE.get(name.toLowerCase())
    if (bit === undefined) continue
    if ((seen & bit) !== 0) return refuse(400, `The request has more than one ${name} header`)
    seen |= bit
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return refuse(501, 'Transfer-Encoding must be chunked; send the body as it is')
  }
  const authority = url === undefined ? undefined : ABSOLUTE.exec(url)?.[1]
  if (authority === undefined || authority.toLowerCase() === headers.host?.toLowerCase()) {
    return undefined
  }
  return refuse(400, 'The address of the request and its Host header name different hosts')
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
