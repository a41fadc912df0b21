import { CallError } from '../../errors/index.ts'
import type { SignatureScheme } from '../../sources/tool-spec/index.ts'
import { isList, isRecord, type Json, type JsonObject } from '../../values/index.ts'
import { findCoding, type HttpRequest, parsePayload } from '../../wire/index.ts'

/** What a delivery says. */
export interface WebhookContent {
  readonly payload: Json
  /** What the sender calls it, where it says so. */
  readonly event?: string
  /** The id inside the body that stays the same when the sender tries again, where the sender has one. */
  readonly id?: string
}

const MAX_DEPTH = 64
const MAX_FORM_FIELDS = 1000

/** Reads a verified delivery: JSON, a form, or text; throws PARSE_ERROR or INVALID_REQUEST. */
export function decodeWebhook(request: HttpRequest, scheme: SignatureScheme): WebhookContent {
  if (findCoding(request) !== undefined) throw unsupported('content_encoding_not_supported')
  const payload = unwrap(decodePayload(request), scheme)
  const event = findEvent(request, payload)
  const id = findId(payload, scheme)
  return { payload, ...(event !== undefined && { event }), ...(id !== undefined && { id }) }
}

function decodePayload(request: HttpRequest): Json {
  const type = (request.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (request.body.length === 0) return null
  if (type === 'application/x-www-form-urlencoded') return decodeForm(request.body)
  if (type === 'application/json' || type.endsWith('+json')) return decodeJson(request.body)
  if (type.startsWith('text/')) return decodeText(request.body)
  if (type.startsWith('multipart/')) throw unsupported('content_type_not_supported')
  return type === '' ? decodeGuess(request.body) : decodeForeign(request.body)
}

function decodeGuess(bytes: Uint8Array): Json {
  try {
    return decodeJson(bytes)
  } catch {
    return decodeText(bytes)
  }
}

/** Other types are fine as long as they are text; bytes that are none have no place in a payload. */
function decodeForeign(bytes: Uint8Array): Json {
  try {
    return decodeGuess(bytes)
  } catch {
    throw unsupported('content_type_not_supported')
  }
}

function unsupported(reason: string): CallError {
  return new CallError('INVALID_REQUEST', { message: reason, status: 415 })
}

function decodeJson(bytes: Uint8Array): Json {
  return parsePayload(bytes, MAX_DEPTH) as Json
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CallError('PARSE_ERROR', { message: 'The body is not valid UTF-8', cause })
  }
}

function decodeForm(bytes: Uint8Array): JsonObject {
  const fields = new Map<string, Json>()
  for (const [name, value] of new URLSearchParams(decodeText(bytes))) {
    const before = fields.get(name)
    if (name === '__proto__' || (before === undefined && fields.size === MAX_FORM_FIELDS)) {
      throw new CallError('INVALID_REQUEST', {
        message: 'The form has fields that are not allowed',
      })
    }
    if (before === undefined) fields.set(name, value)
    else fields.set(name, isList(before) ? [...before, value] : [before, value])
  }
  return Object.fromEntries(fields)
}

/** GitHub and Slack put their JSON into the field `payload` when they send forms. */
function unwrap(payload: Json, scheme: SignatureScheme): Json {
  if (scheme !== 'github' && scheme !== 'slack') return payload
  const inner = isRecord(payload) ? payload['payload'] : undefined
  if (typeof inner !== 'string') return payload
  return decodeJson(Buffer.from(inner))
}

const EVENT_HEADERS = ['x-github-event', 'x-event-key', 'x-event-type', 'webhook-event']

function findEvent(request: HttpRequest, payload: Json): string | undefined {
  for (const name of EVENT_HEADERS) {
    const value = request.header(name)
    if (value) return value.slice(0, MAX_NAME)
  }
  if (!isRecord(payload)) return undefined
  const { event, type, webhookEvent } = payload
  const inner = isRecord(event) ? event['type'] : event
  const found = [inner, webhookEvent, type].find((value) => typeof value === 'string')
  return typeof found === 'string' ? found.slice(0, MAX_NAME) : undefined
}

const MAX_NAME = 200

/** Slack and Stripe sign every attempt anew; only the id inside tells that it is the same event. */
function findId(payload: Json, scheme: SignatureScheme): string | undefined {
  if (!isRecord(payload)) return undefined
  const id = scheme === 'slack' ? payload['event_id'] : scheme === 'stripe' ? payload['id'] : null
  return typeof id === 'string' && id !== '' ? id : undefined
}
