import { type Code, resolveCode } from './codes.ts'
import type { JsonObject } from './json.ts'

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
  /** What UNAUTHORIZED asks for, as in the header `WWW-Authenticate`: `Basic realm="orders"`; the service's own when absent. */
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
