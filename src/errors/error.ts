import { type Duration, isRecord, type JsonObject, toMilliseconds } from '../values/index.ts'
import { type Code, resolveCode } from './codes.ts'

/** Where in the request a problem is: a JSON Pointer, or a byte offset when the body could not be parsed. */
export type ErrorSource = { readonly pointer: string } | { readonly position: number }

/** An error as data: what travels in an outcome and what surfaces encode. */
export interface CallErrorShape {
  readonly code: string
  readonly message: string
  readonly source?: ErrorSource
  readonly details?: JsonObject
}

/** What can be said about an error when it is thrown. */
export interface CallErrorOptions {
  readonly message?: string | undefined
  /** What only an operator may know, such as an address: ends the error's own message, never sent to a caller. */
  readonly reason?: string | undefined
  readonly source?: ErrorSource
  readonly details?: JsonObject
  /** HTTP status where the code's own does not fit, as for 413 and 415. */
  readonly status?: number
  /** What UNAUTHORIZED asks for, or FORBIDDEN for want of a scope, as in the header `WWW-Authenticate`: `Basic realm="orders"`; the service's own when absent. */
  readonly challenge?: string
  /** The original; kept for logs, never sent to a caller. */
  readonly cause?: unknown
}

// Shared by every copy of the package in a process: a command line may be another copy than the service it runs.
const brand = Symbol.for('waymark.CallError')

/**
 * The only error that crosses a border: a code from the table or one that the function declares. Callers get `errors`;
 * `message` may say more and is for logs and for whoever runs the process.
 */
export class CallError extends Error {
  readonly code: string
  readonly status: number | undefined
  readonly challenge: string | undefined
  /** One entry per finding; most errors have exactly one. */
  readonly errors: readonly [CallErrorShape, ...CallErrorShape[]]

  constructor(code: Code | (string & {}), options: CallErrorOptions = {}) {
    const message = options.message ?? resolveCode(code).message
    super(options.reason === undefined ? message : `${message}: ${options.reason}`, {
      cause: options.cause,
    })
    this.name = 'CallError'
    this.code = code
    this.status = options.status
    this.challenge = options.challenge
    this.errors = [
      {
        code,
        message,
        ...(options.source && { source: options.source }),
        ...(options.details && { details: options.details }),
      },
    ]
  }

  /** Facts about the first finding. */
  get details(): JsonObject | undefined {
    return this.errors[0].details
  }

  /** Makes one error out of several findings. */
  static all(errors: readonly [CallErrorShape, ...CallErrorShape[]]): CallError {
    const error = new CallError(errors[0].code, { message: errors[0].message })
    return Object.assign(error, { errors })
  }
}

Object.defineProperty(CallError.prototype, brand, { value: true })
// A class that extends this one knows its own errors only.
Object.defineProperty(CallError, Symbol.hasInstance, {
  value(this: typeof CallError, value: unknown): boolean {
    if (this !== CallError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && brand in value
  },
})

/** How long to wait when nobody says. */
export const DEFAULT_RETRY_AFTER: Duration = { value: 60, unit: 'second' }

/** Codes that never go out without a Retry-After header. */
const ALWAYS_SAY: readonly string[] = ['RATE_LIMITED', 'SERVER_MAINTENANCE', 'FUNCTION_MAINTENANCE']

/** Reads the first `retry_after` of some errors as the whole seconds of a Retry-After header. */
export function formatRetryAfter(errors: readonly CallErrorShape[]): string | undefined {
  for (const { details } of errors) {
    const duration = details?.['retry_after']
    const milliseconds = isRecord(duration) ? toMilliseconds(duration) : undefined
    if (milliseconds !== undefined) return String(Math.ceil(milliseconds / 1000))
  }
  const waits = errors.some(({ code }) => ALWAYS_SAY.includes(code))
  return waits ? String(DEFAULT_RETRY_AFTER.value) : undefined
}

/** What callers are asked to show when nobody says otherwise. */
export const DEFAULT_CHALLENGE = 'Bearer'

// One header line: anything but printable ASCII could start another one.
const HEADER_VALUE = /^[\x21-\x7e][\x20-\x7e]*$/

/** Refuses a challenge that is not a valid header value. */
export function assertChallenge(challenge: string): void {
  if (HEADER_VALUE.test(challenge)) return
  throw new TypeError(
    'challenge: must be a value of WWW-Authenticate such as Bearer realm="orders"',
  )
}

/**
 * Writes the header that every answer with status 401 has (RFC 9110, 15.5.2): how to say who calls. A refusal with status
 * 403 has it only where a scope is missing (RFC 6750, 3.1): any other challenge would make a client ask again in vain.
 */
export function challengeHeaders(
  status: number,
  ...asked: readonly (string | undefined)[]
): { readonly 'www-authenticate'?: string } {
  const isUsable = (text: string | undefined) => text !== undefined && HEADER_VALUE.test(text)
  if (status === 403) {
    const [own] = asked
    if (own === undefined || !isUsable(own)) return {}
    return own.includes('error="insufficient_scope"') ? { 'www-authenticate': own } : {}
  }
  if (status !== 401) return {}
  const usable = asked.find(isUsable)
  return { 'www-authenticate': usable ?? DEFAULT_CHALLENGE }
}
