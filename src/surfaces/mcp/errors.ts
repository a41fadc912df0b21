import { boundErrors, type Logger } from '../../core/index.ts'
import {
  CallError,
  type CallErrorShape,
  formatRetryAfter,
  resolveCode,
} from '../../errors/index.ts'
import type { JsonObject } from '../../values/index.ts'
import { type RequestId, SUPPORTED_VERSIONS } from './protocol.ts'

/** JSON-RPC numbers that mean something in MCP. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverError: -32000,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

/** What is known about a refusal besides its number and text. */
export interface McpErrorOptions {
  readonly data?: JsonObject
  /** HTTP status; 200 when the request was understood and refused on its merits. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that gets a JSON-RPC error instead of a result. */
export class McpError extends Error {
  readonly code: number
  readonly data: JsonObject | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: number, message: string, options: McpErrorOptions = {}) {
    super(message)
    this.name = 'McpError'
    this.code = code
    this.data = options.data
    this.status = options.status ?? 200
    this.headers = options.headers ?? {}
  }
}

/** Makes the error for parameters that make no sense. */
export function invalidParams(message: string, data?: JsonObject): McpError {
  return new McpError(RPC.invalidParams, message, data && { data })
}

/** Makes the error for a message that is not a JSON-RPC request. */
export function invalidRequest(message: string): McpError {
  return new McpError(RPC.invalidRequest, message, { status: 400 })
}

/** Makes the error for a method nobody serves. */
export function methodNotFound(method: string): McpError {
  return new McpError(RPC.methodNotFound, `Method not found: ${method.slice(0, 100)}`, {
    status: 404,
  })
}

/** Makes the error for a header that says something else than the body. */
export function headerMismatch(message: string): McpError {
  return new McpError(RPC.headerMismatch, `Header mismatch: ${message}`, { status: 400 })
}

/** Makes the error for a request that needs more than the client said it can do. */
export function missingCapability(requiredCapabilities: JsonObject): McpError {
  const names = Object.keys(requiredCapabilities).join(', ')
  return new McpError(RPC.missingCapability, `Missing required client capability: ${names}`, {
    data: { requiredCapabilities },
    status: 400,
  })
}

/** Makes the error for a protocol version nobody speaks here. */
export function unsupportedVersion(requested: string): McpError {
  return new McpError(RPC.unsupportedVersion, 'Unsupported protocol version', {
    data: { supported: SUPPORTED_VERSIONS, requested: requested.slice(0, 100) },
    status: 400,
  })
}

/** Makes the error for a session that ended or never was. */
export function sessionNotFound(): McpError {
  return new McpError(404, 'Session not found; start again with initialize', { status: 404 })
}

/** Turns anything thrown into an error for the client; only known errors say what happened. */
export function toMcpError(thrown: unknown, log: Logger): McpError {
  if (thrown instanceof McpError) return thrown
  if (!(thrown instanceof CallError)) {
    log.error('an MCP request failed unexpectedly', { error: thrown })
    return new McpError(RPC.internalError, 'Internal error')
  }
  const errors = boundErrors(thrown.errors)
  const { message } = errors[0]
  const data: JsonObject = { errors: errors.map(toData) }
  if (thrown.code === 'PARSE_ERROR') {
    return new McpError(RPC.parseError, message, { status: 400 })
  }
  if (thrown.code === 'INVALID_REQUEST') {
    return new McpError(RPC.invalidRequest, message, {
      status: thrown.status ?? 400,
      ...(thrown.errors[0].details?.['accept_encoding'] && {
        headers: { 'accept-encoding': 'identity' },
      }),
    })
  }
  // The numbers of the error table mean other things in MCP; the code travels as data.
  const refused = thrown.code === 'NOT_FOUND' || thrown.code === 'INVALID_ARGUMENTS'
  return new McpError(refused ? RPC.invalidParams : RPC.internalError, message, { data })
}

/** Turns what refuses a request before it is read into an error with the status of its code. */
export function toRefusal({ code, status, message, errors }: CallError): McpError {
  const { status: usual, retryable } = resolveCode(code)
  const retryAfter = formatRetryAfter(errors)
  return new McpError(retryable ? RPC.internalError : RPC.invalidRequest, message, {
    data: { errors: errors.map(toData) },
    status: status ?? usual,
    ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
  })
}

/** Writes a JSON-RPC error; a request whose id could not be read is answered without one. */
export function encodeError(id: RequestId | undefined, { code, message, data }: McpError): string {
  const error = JSON.stringify({ code, message, ...(data && { data }) })
  return id === undefined
    ? `{"jsonrpc":"2.0","error":${error}}`
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${error}}`
}

/** Gives an error entry as plain data. */
export function toData({ code, message, source, details }: CallErrorShape): JsonObject {
  return { code, message, ...(source && { source: { ...source } }), ...(details && { details }) }
}
