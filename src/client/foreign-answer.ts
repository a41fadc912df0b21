import { CallError, type CallErrorOptions, type Code } from '../errors/index.ts'
import { isRecord, type JsonObject, toDuration } from '../values/index.ts'
import type { ParsedAnswer } from './decode.ts'
import { type ClientCode, clientError } from './errors.ts'
import type { TransportResponse } from './transport.ts'

/** Makes the error for an answer that violates the protocol. */
export function invalidResponse(message: string, details?: JsonObject): CallError {
  return clientError('CLIENT_INVALID_RESPONSE', { message, ...(details && { details }) })
}

// Refused before any handler: the code of the table says it as well as a Forrst answer would.
const REFUSALS: Readonly<Record<number, Code>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
}

const GATEWAY_STATUS = [502, 503, 504]

/** Makes the error for a body that is not a Forrst document: usually a proxy in front of the service answered. */
export function toForeignError(
  response: TransportResponse,
  parsed: ParsedAnswer,
  retryAfterMs: number | undefined,
): CallError {
  const { status, body } = response
  const challenge = response.header('www-authenticate')
  const options: CallErrorOptions = {
    message: describe(response, parsed),
    details: {
      http_status: status,
      ...(challenge !== undefined && { www_authenticate: challenge.slice(0, 200) }),
      ...(retryAfterMs !== undefined && { retry_after: toDuration(retryAfterMs) }),
      ...(body !== '' && { body: excerpt(body) }),
    },
  }
  const refusal = REFUSALS[status]
  if (refusal !== undefined) return new CallError(refusal, options)
  const code: ClientCode = GATEWAY_STATUS.includes(status)
    ? 'CLIENT_GATEWAY_ERROR'
    : 'CLIENT_INVALID_RESPONSE'
  return clientError(code, options)
}

function describe({ status, body }: TransportResponse, parsed: ParsedAnswer): string {
  const said = parsed.ok ? findText(parsed.value) : undefined
  if (status >= 400) {
    const hint = status === 404 || status === 405 ? '; is the URL that of the endpoint?' : ''
    const text = said ?? (body.trim() === '' ? 'no body' : excerpt(body))
    return `HTTP ${status}, and no Forrst document: ${text}${hint}`
  }
  if (!parsed.ok) return `The answer ${parsed.problem}`
  return `The answer is ${kindOf(parsed.value)}, not a Forrst response with protocol and id`
}

const TEXT_MEMBERS = ['detail', 'error_description', 'message', 'title', 'error']

function findText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const found = TEXT_MEMBERS.map((member) => value[member]).find((text) => typeof text === 'string')
  return found === undefined ? undefined : excerpt(found)
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a JSON array'
  return isRecord(value) ? 'a JSON object' : 'a single JSON value'
}

// Foreign text goes to logs and terminals: no control characters, no end of it.
function excerpt(text: string): string {
  const head = text.slice(0, 1000)
  return head
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
