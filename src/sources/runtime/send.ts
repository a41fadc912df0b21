import { parseRetryAfter } from '../../values/index.ts'
import type { ApiRequest } from './request.ts'
import { ToolError } from './tool-error.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const TRANSIENT = new Set([429, 502, 503, 504])
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/** What sending needs from its surroundings. */
export interface Sender {
  readonly tool: string
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
  /** How often a safe request is sent again; 0 turns it off. */
  readonly retries: number
  /** Longest wait that a `Retry-After` may ask for. */
  readonly maxWaitMs: number
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Between 0 and 1. */
  readonly random: () => number
  readonly now: () => number
}

/** Sends a request, again where that is safe, following redirects without the credential. */
export async function sendRequest(request: ApiRequest, sender: Sender): Promise<Response> {
  const retries = REPEATABLE.has(request.method) ? sender.retries : 0
  for (let attempt = 0; ; attempt += 1) {
    const last = attempt >= retries
    const outcome = await attemptRequest(request, sender)
    if (outcome.ok && (last || !TRANSIENT.has(outcome.response.status))) return outcome.response
    if (!outcome.ok && (last || sender.signal.aborted)) throw outcome.error
    const asked = outcome.ok ? retryAfterSeconds(outcome.response, sender.now()) : undefined
    if (outcome.ok && asked !== undefined && asked * 1000 > sender.maxWaitMs)
      return outcome.response
    if (outcome.ok) await outcome.response.body?.cancel()
    const backoff = 200 * 2 ** attempt * (0.5 + sender.random() / 2)
    await sender.sleep(asked === undefined ? backoff : asked * 1000, sender.signal)
    sender.signal.throwIfAborted()
  }
}

/** Reads `Retry-After` as seconds from now. */
export function retryAfterSeconds(response: Response, now: number): number | undefined {
  const milliseconds = parseRetryAfter(response.headers.get('retry-after'), now)
  return milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1000)
}

type Attempt =
  | { readonly ok: true; readonly response: Response }
  | { readonly ok: false; readonly error: unknown }

// Refused redirects throw: sending again would only be refused again.
async function attemptRequest(request: ApiRequest, sender: Sender): Promise<Attempt> {
  let current = request
  for (let hops = 0; ; hops += 1) {
    let response: Response
    try {
      response = await sender.fetch(current.url, {
        method: current.method,
        headers: current.headers,
        redirect: 'manual',
        signal: sender.signal,
        ...(current.content !== undefined && { body: current.content }),
      })
    } catch (error) {
      return { ok: false, error }
    }
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
    if (location === null) return { ok: true, response }
    await response.body?.cancel()
    if (hops === MAX_REDIRECTS) throw badRedirect(sender, `more than ${MAX_REDIRECTS} redirects`)
    current = followRedirect(current, { status: response.status, location }, sender)
  }
}

function followRedirect(
  request: ApiRequest,
  redirect: { readonly status: number; readonly location: string },
  sender: Sender,
): ApiRequest {
  const from = new URL(request.url)
  if (!URL.canParse(redirect.location, from.href)) throw badRedirect(sender, 'a broken location')
  const to = new URL(redirect.location, from)
  const becomesGet = redirect.status === 303 || (redirect.status < 303 && request.method === 'POST')
  const kept = becomesGet ? undefined : request.content
  if (to.origin !== from.origin) assertSafeHop(from, to, { sender, hasBody: kept !== undefined })
  return {
    method: becomesGet ? 'GET' : request.method,
    url: to.href,
    headers: redirectHeaders(request.headers, {
      sameOrigin: to.origin === from.origin,
      keepsBody: kept !== undefined,
    }),
    content: kept,
  }
}

function assertSafeHop(
  from: URL,
  to: URL,
  context: { readonly sender: Sender; readonly hasBody: boolean },
): void {
  const { sender, hasBody } = context
  if (to.protocol !== 'https:' && to.protocol !== from.protocol) {
    throw badRedirect(sender, `an unsafe redirect to ${to.protocol}//`)
  }
  // A public API must not be able to point this process at the machines around it.
  if (isPrivateHost(to.hostname) && !isPrivateHost(from.hostname)) {
    throw badRedirect(sender, 'a redirect to a private address')
  }
  if (hasBody) throw badRedirect(sender, `a redirect of the request body to ${to.origin}`)
}

// On another origin nothing is kept that an argument or a credential has set.
function redirectHeaders(
  headers: Readonly<Record<string, string>>,
  hop: { readonly sameOrigin: boolean; readonly keepsBody: boolean },
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => {
      if (name === 'content-type') return hop.keepsBody
      return hop.sameOrigin || name === 'accept' || name === 'user-agent'
    }),
  )
}

function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(?:::ffff:)?|\]$/g, '')
  return (
    /^(?:.+\.)?localhost$/.test(host) ||
    /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    ) ||
    (hostname.startsWith('[') && /^(?:::1?$|f[cd]|fe[89ab]|[0-9a-f]+:[0-9a-f]+$)/.test(host))
  )
}

function badRedirect({ tool }: Sender, what: string): ToolError {
  return new ToolError(tool, 'redirect', `${tool}: refused ${what}`)
}
