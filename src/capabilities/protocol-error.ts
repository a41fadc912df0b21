import { isRecord, type JsonObject } from '../core/json.ts'
import { toText } from '../core/text.ts'

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
