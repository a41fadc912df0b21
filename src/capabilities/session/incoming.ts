import type { CallErrorShape } from '../../errors/index.ts'
import type { PublicResponse } from '../../net/index.ts'
import { isRecord, type JsonObject, toText, tryJson } from '../../values/index.ts'
import { createEventParser, isEventStream } from '../../wire/index.ts'

/** The errors of discovery and negotiation with their REST status and JSON-RPC number. */
export const PROTOCOL_ERRORS = {
  invalid_profile_url: { status: 400, rpc: -32001 },
  profile_unreachable: { status: 424, rpc: -32001 },
  profile_malformed: { status: 422, rpc: -32001 },
  version_unsupported: { status: 422, rpc: -32001 },
} as const

/** A code of the table above. */
export type ProtocolErrorCode = keyof typeof PROTOCOL_ERRORS

/** Something a person can read, and where a person can go on. */
export interface ErrorText {
  readonly content: string
  readonly continueUrl?: string
}

/** A protocol error as a REST answer. */
export function toRestError(
  code: ProtocolErrorCode,
  text: ErrorText,
): { readonly status: number; readonly body: JsonObject } {
  return { status: PROTOCOL_ERRORS[code].status, body: flat(code, text) }
}

/** A protocol error as the `error` of a JSON-RPC answer. */
export function toRpcError(
  code: ProtocolErrorCode,
  text: ErrorText,
): { readonly code: number; readonly message: string; readonly data: JsonObject } {
  return { code: PROTOCOL_ERRORS[code].rpc, message: text.content, data: flat(code, text) }
}

/** The body of the answer when nothing is shared: a normal answer (200, MCP result), not a transport error. */
export function toIncompatibleBody(version: string, text: ErrorText): JsonObject {
  return {
    ucp: { version, status: 'error', capabilities: {} },
    messages: [
      {
        type: 'error',
        code: 'capabilities_incompatible',
        content: text.content,
        severity: 'unrecoverable',
      },
    ],
    ...(text.continueUrl !== undefined && { continue_url: text.continueUrl }),
  }
}

/** An error found in an answer of a business. */
export interface ReceivedError {
  readonly code: string
  readonly content: string
  readonly continueUrl: string | undefined
}

/** Reads an error out of an answer, in the flat form or in the form of messages; undefined when it has none. */
export function readProtocolError(body: unknown): ReceivedError | undefined {
  if (!isRecord(body)) return undefined
  const continueUrl = textOf(body['continue_url'])
  if (typeof body['code'] === 'string') {
    return { code: body['code'], content: textOf(body['content']) ?? body['code'], continueUrl }
  }
  const { ucp, messages } = body
  if (!isRecord(ucp) || ucp['status'] !== 'error' || !Array.isArray(messages)) return undefined
  const message: unknown = messages.find(
    (item) => isRecord(item) && typeof item['code'] === 'string',
  )
  if (!isRecord(message)) return undefined
  const code = toText(message['code'])
  return { code, content: textOf(message['content']) ?? code, continueUrl }
}

function flat(code: ProtocolErrorCode, { content, continueUrl }: ErrorText): JsonObject {
  return { code, content, ...(continueUrl !== undefined && { continue_url: continueUrl }) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** How a platform says where its profile is: in the `UCP-Agent` header, or as the URL itself. */
export type Announcement = { readonly header: string } | { readonly profile: unknown }

/** Why a negotiated call does not take place. */
export type ProtocolRefusal =
  | { readonly kind: 'error'; readonly code: ProtocolErrorCode; readonly text: ErrorText }
  /** Too much was asked for: nothing is said about the platform, it may come back. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }
  /** Nothing is shared: a normal answer with this body, not a transport error. */
  | { readonly kind: 'incompatible'; readonly body: JsonObject }

/** What a negotiated call is answered with, or why it is refused. */
export type Admission =
  | { readonly admitted: true; readonly ucp: JsonObject }
  | { readonly admitted: false; readonly refusal: ProtocolRefusal }

/**
 * Judges a call of a platform that announced its profile; to be called after `authenticate`. What is fetched counts
 * for the caller.
 */
export type Admit = (
  announcement: Announcement,
  functionName: string,
  caller?: string,
) => Promise<Admission>

/** What a platform is told that may come back. */
export const BUSY_TEXT = 'Too many profiles were announced; try again later'

/** What a call gives: the answer of the business, or why there is none. */
export type CallResult =
  | { readonly ok: true; readonly value: unknown; readonly status: number }
  | { readonly ok: false; readonly error: CallErrorShape }

/** Reads the answer to a REST call. */
export function readRestAnswer(response: PublicResponse): CallResult {
  const body = parseBody(response)
  if (body === INVALID) return remote('INVALID_RESPONSE', 'the answer is not JSON', response)
  return judge(body, response)
}

/** Reads the answer to an MCP call, as JSON or as an event stream. */
export function readMcpAnswer(response: PublicResponse, id: string): CallResult {
  const message = isEventStream(response.header('content-type'))
    ? findEvent(response, id)
    : parseBody(response)
  if (!isRecord(message)) {
    return remote('INVALID_RESPONSE', 'the answer is not a JSON-RPC message', response)
  }
  const { error, result } = message
  if (isRecord(error)) return fromRpcError(error, response)
  if (!isRecord(result)) return remote('INVALID_RESPONSE', 'the answer has no result', response)
  const value = contentOf(result)
  if (result['isError'] === true) {
    const own = readOwnError(result)
    if (own !== undefined) return { ok: false, error: own }
    const received = readProtocolError(value)
    const text = received?.content ?? 'the tool failed'
    return remote(received?.code ?? 'TOOL_FAILED', text, response, value)
  }
  return judge(value, response)
}

/** A Waymark server says which of its errors it was, as data; the text is for models. */
function readOwnError({ _meta }: Record<string, unknown>): CallErrorShape | undefined {
  const errors = isRecord(_meta) ? _meta['waymark/errors'] : undefined
  return Array.isArray(errors) ? toShape(errors[0]) : undefined
}

/** Problem details of a Waymark server: the code, what it says, and its facts. */
function readProblem(value: unknown, response: PublicResponse): CallErrorShape | undefined {
  const isProblem = response.header('content-type')?.startsWith('application/problem+json') === true
  if (!isProblem || !isRecord(value)) return undefined
  return toShape({ code: value['code'], message: value['title'], details: value['details'] })
}

const CODE = /^[A-Z][A-Z0-9_]{0,99}$/
const MAX_MESSAGE = 4_000

function toShape(value: unknown): CallErrorShape | undefined {
  const { code, message, details } = isRecord(value) ? value : {}
  if (typeof code !== 'string' || !CODE.test(code) || typeof message !== 'string') return undefined
  return {
    code,
    message: message.slice(0, MAX_MESSAGE),
    ...(isRecord(details) && { details: details as JsonObject }),
  }
}

const INVALID = Symbol('invalid')

function judge(value: unknown, response: PublicResponse): CallResult {
  const { status } = response
  const error = readProtocolError(value)
  const failed = status < 200 || status >= 300
  const refused = isRecord(value) && isRecord(value['ucp']) && value['ucp']['status'] === 'error'
  if (!failed && !refused) return { ok: true, value, status }
  const problem = readProblem(value, response)
  if (problem !== undefined) return { ok: false, error: problem }
  const message = error?.content ?? `the business answered with status ${status}`
  return remote(error?.code ?? 'REMOTE_ERROR', message, response, value)
}

function fromRpcError(error: Record<string, unknown>, response: PublicResponse): CallResult {
  const received = readProtocolError(error['data'])
  const code = received?.code ?? `RPC_${toText(error['code'])}`
  const message = typeof error['message'] === 'string' ? error['message'] : code
  return remote(code, received?.content ?? message, response, error)
}

function contentOf(result: Record<string, unknown>): unknown {
  if (result['structuredContent'] !== undefined) return result['structuredContent']
  const { content } = result
  if (!Array.isArray(content)) return result
  const text: unknown = content.find((part) => isRecord(part) && part['type'] === 'text')
  if (!isRecord(text) || typeof text['text'] !== 'string') return result
  return tryJson(text['text'], text['text'])
}

function parseBody(response: PublicResponse): unknown {
  if (response.body.byteLength === 0) return undefined
  return tryJson(new TextDecoder().decode(response.body), INVALID)
}

// Other messages of the stream, notifications and progress, are none of our business.
function findEvent(response: PublicResponse, id: string): unknown {
  const events = createEventParser(Number.POSITIVE_INFINITY)
  const text = `${new TextDecoder().decode(response.body)}\n\n`
  return events
    .feed(text)
    .map(({ data }) => tryJson(data))
    .find((message) => isRecord(message) && message['id'] === id)
}

function remote(
  code: string,
  message: string,
  { status }: PublicResponse,
  body?: unknown,
): CallResult {
  const details: JsonObject = {
    status,
    ...(isRecord(body) && { body: body as JsonObject }),
  }
  return { ok: false, error: { code, message, details } }
}
