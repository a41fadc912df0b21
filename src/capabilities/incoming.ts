import type { CallErrorShape } from '../core/error.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import { toText } from '../core/text.ts'
import type { PublicResponse } from '../wire/public-address.ts'
import { readProtocolError } from './protocol-error.ts'

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
  const message = isEventStream(response) ? findEvent(response, id) : parseBody(response)
  if (!isRecord(message)) {
    return remote('INVALID_RESPONSE', 'the answer is no JSON-RPC message', response)
  }
  const { error, result } = message
  if (isRecord(error)) return fromRpcError(error, response)
  if (!isRecord(result)) return remote('INVALID_RESPONSE', 'the answer has no result', response)
  const value = contentOf(result)
  if (result['isError'] === true) {
    const received = readProtocolError(value)
    const text = received?.content ?? 'the tool failed'
    return remote(received?.code ?? 'TOOL_FAILED', text, response, value)
  }
  return judge(value, response)
}

const INVALID = Symbol('invalid')

function judge(value: unknown, response: PublicResponse): CallResult {
  const { status } = response
  const error = readProtocolError(value)
  const failed = status < 200 || status >= 300
  const refused = isRecord(value) && isRecord(value['ucp']) && value['ucp']['status'] === 'error'
  if (!failed && !refused) return { ok: true, value, status }
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
  return parseText(text['text'], text['text'])
}

function parseBody(response: PublicResponse): unknown {
  if (response.body.byteLength === 0) return undefined
  return parseText(new TextDecoder().decode(response.body), INVALID)
}

function parseText(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

function isEventStream(response: PublicResponse): boolean {
  return response.header('content-type')?.toLowerCase().startsWith('text/event-stream') ?? false
}

// Other messages of the stream, notifications and progress, are none of our business.
function findEvent(response: PublicResponse, id: string): unknown {
  const text = new TextDecoder().decode(response.body).replaceAll(/\r\n?/g, '\n')
  for (const event of text.split('\n\n')) {
    const data = event
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
    const message = parseText(data.join('\n'), undefined)
    if (isRecord(message) && message['id'] === id) return message
  }
  return undefined
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
