import type { Call, ReplyEntry } from '../../core/index.ts'
import type { FunctionObject } from '../../discovery/index.ts'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import type { JsonObject } from '../../values/index.ts'

/** The members of a client of `waymark/client` that a remote service is reached through. */
export interface ForrstClient {
  readonly call: (
    name: string,
    callArguments: JsonObject,
    options: ForrstCallOptions,
  ) => Promise<ForrstOutcome>
  readonly stream: (
    name: string,
    callArguments: JsonObject,
    options: ForrstStreamOptions,
  ) => ForrstStream
  readonly discover: (options?: {
    readonly signal?: AbortSignal
    readonly retry?: false
  }) => Promise<ForrstOutcome>
  readonly supports: (urn: string) => Promise<boolean>
}

/** How one call is passed on. */
export interface ForrstCallOptions {
  readonly version?: string
  /** The call being served: its context, trace, signal and what is left of its deadline travel on. */
  readonly within?: Pick<Call, 'context' | 'facts' | 'signal'>
  /** True when the call may be repeated without doing anything twice. */
  readonly readOnly?: boolean
  readonly idempotencyKey?: string
  readonly extensions?: readonly {
    readonly urn: string
    readonly options?: JsonObject
    readonly required?: boolean
  }[]
  readonly timeoutMs?: number
  readonly retry?: false
}

/** How one call is passed on whose items are read as they come; `timeoutMs` is the longest silence. */
export interface ForrstStreamOptions extends ForrstCallOptions {
  readonly onProgress?: (progress: { readonly percent: number; readonly message?: string }) => void
  /** How many characters one event may have. */
  readonly maxEventLength?: number
}

/** The items of a streamed call; throws a CallError when the call fails, and leaving the loop ends it. */
export interface ForrstStream extends AsyncIterable<unknown> {
  /** Gives what comes after the last item. */
  readonly result: () => Promise<unknown>
}

/** What a call came to, as far as it is passed on. */
export type ForrstOutcome =
  | { readonly ok: true; readonly result: unknown; readonly extensions: readonly ReplyEntry[] }
  | ForrstFailure

/** A call that failed. */
export interface ForrstFailure {
  readonly ok: false
  readonly errors: readonly [CallErrorShape, ...CallErrorShape[]]
  readonly extensions: readonly ReplyEntry[]
  /** HTTP status of the answer; absent when there was none. */
  readonly status?: number | undefined
  readonly cause?: unknown
}

/** The service an error comes from. */
export interface Remote {
  /** What the remote service is called in errors. */
  readonly name: string
  /** Runs when the remote service does not know a function that its document had. */
  readonly onUnknown: () => void
}

// Errors of the way to the service. Those after which the function may have run must not look like a refusal:
// callers repeat what was refused.
const LOST: Readonly<Record<string, string>> = {
  CLIENT_UNREACHABLE: 'UNAVAILABLE',
  CLIENT_TIMEOUT: 'DEADLINE_EXCEEDED',
}

/** What our caller is told of these; addresses are for the log. */
const LOST_TEXT: Readonly<Record<string, string>> = {
  CLIENT_UNREACHABLE: 'cannot be reached',
  CLIENT_TIMEOUT: 'did not answer in time',
}

/** Refusals of the request we wrote, or of who we are: nothing our own caller could mend. */
const OURS = new Set([
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'INVALID_PROTOCOL_VERSION',
  'EXTENSION_NOT_SUPPORTED',
  'EXTENSION_NOT_APPLICABLE',
  'INTERNAL_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
])

/** Turns the failure of a remote function into the error our own caller gets. */
export function toForrstCallError(
  failure: Pick<ForrstFailure, 'errors' | 'status' | 'cause'>,
  object: FunctionObject,
  { name, onUnknown }: Remote,
): CallError {
  const [first] = failure.errors
  const { code, message } = first
  if (code.startsWith('CLIENT_')) {
    return new CallError(LOST[code] ?? 'DEPENDENCY_ERROR', {
      message: `${name} ${LOST_TEXT[code] ?? 'gave an answer that makes no sense'}`,
      reason: message,
      details: { dependency: name, dependency_error: code },
      cause: failure.cause,
    })
  }
  if (code === 'FUNCTION_NOT_FOUND' || code === 'VERSION_NOT_FOUND') onUnknown()
  if (OURS.has(code) && !declares(object, code)) {
    return new CallError('DEPENDENCY_ERROR', {
      message: `${name} answered ${code}`,
      reason: message,
      details: { dependency: name, dependency_error: code },
    })
  }
  const error = new CallError(code, {
    message,
    ...(failure.status !== undefined && { status: failure.status }),
  })
  return Object.assign(error, { errors: failure.errors })
}

function declares({ errors = [] }: FunctionObject, code: string): boolean {
  return errors.some((error) => 'code' in error && error.code === code)
}
