import { isMasked } from '../../contract/index.ts'
import {
  assertFits,
  type Call,
  type Failure,
  type Outcome,
  type Reply,
  type Service,
  toResultText,
} from '../../core/index.ts'
import {
  CallError,
  type CallErrorShape,
  challengeHeaders,
  formatRetryAfter,
  resolveCode,
} from '../../errors/index.ts'
import { canonicalUrn, extensionUrn, isRecord } from '../../values/index.ts'
import type { HttpResponse } from '../../wire/index.ts'
import type { Asked } from './decode.ts'
import { encodeStarted, standingHeaders, toStanding } from './operations.ts'

/** Encodes an outcome as a plain HTTP answer: the result itself, or problem details with one entry per finding. */
export function encodeOutcome(
  outcome: Outcome,
  call: Call | undefined,
  service: Service,
  asked?: Asked,
): HttpResponse {
  if (asked?.version?.system) return encodeStanding(toStanding(outcome), call, service)
  if (!outcome.ok) return encodeErrors(outcome, call, service)
  const instead = call && encodeInstead(outcome.result, call, service, asked)
  if (instead !== undefined) return instead
  const headers = encodeHeaders(call)
  return {
    status: pickStatus(call?.reply),
    headers:
      call?.reply.extensions !== undefined && hasOtherShape(outcome.result, call.reply, asked)
        ? { ...headers, 'content-type': MASKED_TYPE }
        : headers,
    body: encodeResult(outcome.result, service),
  }
}

/** Of the functions of the protocol, only those that look after operations are served here. */
function encodeStanding(outcome: Outcome, call: Call | undefined, service: Service): HttpResponse {
  const response = encodeOutcome(outcome, call, service)
  if (!outcome.ok) return response
  return { ...response, headers: { ...response.headers, ...standingHeaders(outcome.result) } }
}

/** A masked result may not have the shape that was promised. */
function hasOtherShape(result: unknown, reply: Reply, asked: Asked | undefined): boolean {
  if (asked?.version === undefined || !isMasked(reply)) return false
  return !asked.surface.contracts.of(asked.version).results.accepts(result)
}

/** Writes a result, whole or partial, as far as an answer may be long. */
export function encodeResult(result: unknown, service: Service): string {
  const text = toResultText(result, service.limits.maxResponseBytes)
  assertFits(text, service)
  return text
}

/** Encodes a failure whatever is in it: details that JSON cannot hold must not cost the caller an answer. */
export function encodeFailure(
  failure: Failure,
  call: Call | undefined,
  service: Service,
): HttpResponse {
  try {
    return encodeErrors(failure, call, service)
  } catch {
    const plain: Failure = { ok: false, errors: new CallError('INTERNAL_ERROR').errors }
    return encodeErrors(plain, undefined, service)
  }
}

const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

function encodeHeaders(call: Call | undefined): Readonly<Record<string, string>> {
  const { headers, extensions } = call?.reply ?? {}
  if (headers === undefined && extensions === undefined) return JSON_HEADERS
  return { ...JSON_HEADERS, ...headers, ...(call && encodeCaching(call)) }
}

const CACHING = extensionUrn('caching')

/** Says as HTTP does how long a result may be used again, and how to ask whether it has changed. */
function encodeCaching({ reply, principal }: Call): Readonly<Record<string, string>> {
  const { data } = reply.extensions?.find(({ urn }) => canonicalUrn(urn) === CACHING) ?? {}
  const etag = data?.['etag']
  if (typeof etag !== 'string') return {}
  const { max_age: age } = data ?? {}
  const seconds = isRecord(age) && typeof age['value'] === 'number' ? age['value'] : 0
  const scope = principal === undefined ? 'public' : 'private'
  return {
    etag,
    'cache-control': seconds > 0 ? `${scope}, max-age=${seconds}` : `${scope}, no-cache`,
    vary: 'accept, accept-language, authorization',
  }
}

const STATUSES = { accepted: 202, started: 202, instead: 200, unavailable: 503 } as const

function pickStatus(reply: Reply | undefined): number {
  return reply?.disposition === undefined ? 200 : STATUSES[reply.disposition]
}

/** A result that is masked beyond its shape has a type of its own. */
const MASKED_TYPE = 'application/vnd.waymark.masked+json'

/** What extensions answer in place of the function has a type of its own: it has not the shape that was promised. */
export const EXTENSIONS_TYPE = 'application/vnd.waymark.extensions+json'

function encodeInstead(
  result: unknown,
  call: Call,
  service: Service,
  asked: Asked | undefined,
): HttpResponse | undefined {
  const { reply } = call
  const { disposition, extensions = [] } = reply
  if (result !== null || disposition === undefined || disposition === 'unavailable')
    return undefined
  const known = extensions.some(
    ({ urn, data }) => canonicalUrn(urn) === CACHING && data?.['cache_status'] === 'hit',
  )
  if (known) {
    // RFC 9110, 13.1.2: 304 is for GET and HEAD, a condition that fails is 412 for every other method.
    if (asked?.at?.address.method !== 'GET') return encodeErrors(HELD, call, service)
    return { status: 304, headers: { ...reply.headers, ...encodeCaching(call) }, body: '' }
  }
  const started = asked && encodeStarted(reply, asked.surface.prefix)
  if (started !== undefined) return started
  return {
    status: pickStatus(reply),
    headers: { 'content-type': EXTENSIONS_TYPE, ...reply.headers },
    body: JSON.stringify({ extensions }),
  }
}

const HELD: Failure = {
  ok: false,
  status: 412,
  errors: [{ code: 'CONFLICT', message: 'The result is one that If-None-Match names' }],
}

const HEADER_VALUE = /^[\x21-\x7e]+$/

/** Encodes errors as RFC 9457 problem details. */
function encodeErrors(
  { errors, status: declared, challenge }: Failure,
  call: Call | undefined,
  service: Service,
): HttpResponse {
  const [first] = errors
  const status = errors.length > 1 ? 400 : (declared ?? resolveCode(first.code).status)
  const retryAfter = formatRetryAfter(errors)
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(first.details?.['accept_encoding'] && { 'accept-encoding': 'identity' }),
      ...(call && HEADER_VALUE.test(call.id) && { 'x-request-id': call.id }),
      ...call?.reply.headers,
      ...challengeHeaders(status, challenge, service.challenge),
    },
    body: JSON.stringify({
      type: 'about:blank',
      title: first.message,
      status,
      code: first.code,
      ...(first.details && { details: first.details }),
      errors: errors.map(encodeError),
    }),
  }
}

/** Arguments are the whole body here, so pointers start at them. */
function encodeError({ code, message, source, details }: CallErrorShape): object {
  const pointer =
    source && 'pointer' in source ? source.pointer.replace(/^\/call\/arguments/, '') : undefined
  return {
    code,
    message,
    ...(pointer !== undefined ? { pointer } : {}),
    ...(source && 'position' in source && { position: source.position }),
    ...(details && { details }),
  }
}
