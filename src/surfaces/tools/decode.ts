import { CallError } from '../../errors/index.ts'
import { isRecord } from '../../values/index.ts'
import {
  findCoding,
  type HttpRequest,
  type HttpResponse,
  isJsonMediaType,
  parseJson,
} from '../../wire/index.ts'
import { encodeToolRefusal } from './errors.ts'

/** What a path under the mount prefix means. */
export type Route =
  | { readonly kind: 'page' | 'list' | 'unknown' }
  /** Everything after `/tools/`, percent-escapes untouched: names may hold slashes. */
  | { readonly kind: 'tool'; readonly rest: string }

/** What a POST asks of a tool. */
export interface Action {
  readonly verb: 'call' | 'validate'
  readonly rest: string
}

const PAGE: Route = { kind: 'page' }
const LIST: Route = { kind: 'list' }
const UNKNOWN: Route = { kind: 'unknown' }

/** Reads a path; `base` is the normalised mount prefix. */
export function decodeRoute(path: string, base: string): Route {
  if (!path.startsWith(base)) return UNKNOWN
  const rest = path.slice(base.length)
  if (rest === '/tools' || rest === '/tools/') return LIST
  if (rest === '' || rest === '/') return PAGE
  return rest.startsWith('/tools/') ? { kind: 'tool', rest: rest.slice(7) } : UNKNOWN
}

/** Takes the verb off the end of what follows `/tools/`; undefined when there is none. */
export function decodeAction(rest: string): Action | undefined {
  for (const verb of ['call', 'validate'] as const) {
    if (rest.endsWith(`/${verb}`)) return { verb, rest: rest.slice(0, -verb.length - 1) }
  }
  return undefined
}

/** Undoes percent-encoding; undefined when it is malformed. */
export function decodeName(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

/** Refuses a body that is too long, or one that a form of another site could have sent. */
export function refuseBody(request: HttpRequest, maxBytes: number): HttpResponse | undefined {
  if (request.bodyTooLarge || request.body.byteLength > maxBytes) {
    return encodeToolRefusal(413, `The body is longer than ${maxBytes} bytes.`)
  }
  const coding = findCoding(request)
  if (coding !== undefined) {
    return encodeToolRefusal(415, `Send the body as it is, without Content-Encoding "${coding}".`, {
      'accept-encoding': 'identity',
    })
  }
  const type = request.header('content-type')
  // Nothing was sent: there is no type to state, and the site check has already passed.
  if (type === undefined && request.body.byteLength === 0) return undefined
  if (isJsonMediaType(type)) return undefined
  return encodeToolRefusal(415, 'Send the arguments as application/json.')
}

/** What a body holds, or why it is refused: it is not JSON, or it is beyond a limit. */
export type DecodedBody<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string; readonly isJson: boolean }

/** Parses a body as JSON. */
export function decodeBody(body: Uint8Array): DecodedBody {
  try {
    return { ok: true, value: parseJson(body, MAX_DEPTH) }
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : 'unreadable'
    const isJson = thrown instanceof CallError && thrown.code === 'INVALID_REQUEST'
    return { ok: false, reason: message.replace(/^Invalid JSON /, ''), isJson }
  }
}

/**
 * Gives the arguments of a call. Anything but a JSON object counts as no arguments, as the protocol requires; arguments that were
 * given and cannot be taken are not: the tool would run without them.
 */
export function decodeArguments(body: Uint8Array): DecodedBody<Record<string, unknown>> {
  const decoded = decodeBody(body)
  if (!decoded.ok && decoded.isJson) return decoded
  return { ok: true, value: decoded.ok && isRecord(decoded.value) ? decoded.value : {} }
}

/** Deep enough for any form, shallow enough for every validator's stack. */
const MAX_DEPTH = 100
