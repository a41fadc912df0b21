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
import { EVENT_STREAM_HEADERS, type HttpResponse, PROTOCOL } from '../../wire/index.ts'
import { listFilePointers } from './files.ts'

const HEAD = `{"protocol":${JSON.stringify(PROTOCOL)},"id":`
const BARE = 'urn:cline:forrst:ext:discovery:fn:describe'

/** What is known about the request while it is answered; filled as decoding goes on. */
export interface Answering {
  id: string | null
  call: Call | undefined
  readonly startedAt: number
}

/** Encodes an outcome as an HTTP response; the only place of this surface that picks a status. */
export function encodeOutcome(
  outcome: Outcome,
  answering: Answering,
  service: Service,
): HttpResponse {
  const { id, call } = answering
  const headers = encodeHeaders(outcome, answering, service)
  if (isPlain(id)) headers['x-forrst-request-id'] = id
  const status = pickStatus(outcome, call?.reply)
  if ((status === 401 || status === 403) && !outcome.ok) {
    Object.assign(headers, challengeHeaders(status, outcome.challenge, service.challenge))
  }
  if (outcome.ok && call?.function === BARE) {
    return { status, headers, body: toResultText(outcome.result, service.limits.maxResponseBytes) }
  }
  return { status, headers, body: encodeDocument(outcome, answering, service) }
}

/** Writes an outcome as the document that answers its request. */
export function encodeDocument(
  outcome: Outcome,
  { id, call }: Answering,
  service: Service,
): string {
  const core = outcome.ok
    ? `"result":${toResultText(outcome.result, service.limits.maxResponseBytes)}`
    : `"result":null,"errors":${JSON.stringify(outcome.errors.map(encodeError))}`
  // Every file is a data URL; looking for one is cheaper than looking the function up.
  const files =
    outcome.ok && call && core.includes('"data:')
      ? listFilePointers(outcome.result, call, service)
      : undefined
  const extras = encodeExtras(call?.reply, service.node, files)
  const document = `${HEAD}${encodeId(id)},${core}${extras}}`
  assertFits(document, service)
  return document
}

/** Writes the headers of an answer that goes on while its function runs. */
export function encodeStreamHeaders(
  { id, call }: Answering,
  { node }: Service,
): Record<string, string> {
  return {
    ...EVENT_STREAM_HEADERS,
    connection: 'keep-alive',
    ...(isPlain(id) && { 'x-forrst-request-id': id }),
    ...(node !== undefined && { 'x-forrst-node': node }),
    ...call?.reply.headers,
  }
}

/** Encodes a failure whatever is in it: details or meta that JSON cannot hold must not cost the caller an answer. */
export function encodeFailure(
  failure: Failure,
  answering: Answering,
  service: Service,
): HttpResponse {
  try {
    return encodeOutcome(failure, answering, service)
  } catch (cause) {
    service.log.error('an answer could not be written as JSON', { error: cause })
    const plain: Failure = { ok: false, errors: new CallError('INTERNAL_ERROR').errors }
    return encodeOutcome(plain, { ...answering, call: undefined }, service)
  }
}

/** Encodes the refusal of any method but POST. */
export function encodeMethodRefusal(): HttpResponse {
  return {
    status: 405,
    headers: { allow: 'POST', 'content-type': 'application/problem+json' },
    body: '{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"Forrst functions are called with POST"}',
  }
}

const STATUSES = { accepted: 202, started: 200, instead: 200, unavailable: 503 } as const

function pickStatus(outcome: Outcome, reply: Reply | undefined): number {
  if (outcome.ok) {
    if (reply?.disposition === undefined) return 200
    return STATUSES[reply.disposition]
  }
  if (outcome.errors.length > 1) return 400
  return outcome.status ?? resolveCode(outcome.errors[0].code).status
}

function encodeError({ code, message, source, details }: CallErrorShape): CallErrorShape {
  return { code, message, ...(source && { source }), ...(details && { details }) }
}

function encodeExtras(
  reply: Reply | undefined,
  node: string | undefined,
  files: readonly string[] | undefined,
): string {
  const extensions = reply?.extensions
  const own = node === undefined ? reply?.meta : { node, ...reply?.meta }
  const meta = files === undefined ? own : { ...own, files }
  return (
    (extensions === undefined ? '' : `,"extensions":${JSON.stringify(extensions)}`) +
    (meta === undefined ? '' : `,"meta":${JSON.stringify(meta)}`)
  )
}

// Visible ASCII without quote and backslash: needs no escaping in JSON, and cannot inject a header.
const PLAIN_ID = /^[\x21\x23-\x5b\x5d-\x7e]+$/

function isPlain(id: string | null): id is string {
  return id !== null && PLAIN_ID.test(id)
}

function encodeId(id: string | null): string {
  return isPlain(id) ? `"${id}"` : JSON.stringify(id)
}

function encodeHeaders(
  outcome: Outcome,
  { call, startedAt }: Answering,
  { clock, node }: Service,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-forrst-duration-ms': String(Math.round(clock.elapsed() - startedAt)),
  }
  if (node !== undefined) headers['x-forrst-node'] = node
  if (!outcome.ok) {
    const retryAfter = formatRetryAfter(outcome.errors)
    if (retryAfter !== undefined) headers['retry-after'] = retryAfter
    if (outcome.errors[0].details?.['accept_encoding']) headers['accept-encoding'] = 'identity'
  }
  return call?.reply.headers === undefined ? headers : { ...headers, ...call.reply.headers }
}
