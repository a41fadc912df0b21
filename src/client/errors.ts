import type { Failure } from '../core/index.ts'
import { CallError, type CallErrorOptions } from '../errors/index.ts'

/** What is known about a code that the client itself reports. */
export interface ClientCodeRow {
  readonly message: string
  readonly retryable: boolean
  /** False when it is certain that no handler ran. */
  readonly mayHaveRun: boolean
}

/** Every code that is made on the caller's side, because no Forrst answer says what happened. */
export const CLIENT_CODES = {
  CLIENT_INVALID_REQUEST: {
    message: 'The request could not be built',
    retryable: false,
    mayHaveRun: false,
  },
  CLIENT_INVALID_SERVER: {
    message: 'The server URL could not be resolved',
    retryable: false,
    mayHaveRun: false,
  },
  CLIENT_UNREACHABLE: {
    message: 'No connection could be made',
    retryable: true,
    mayHaveRun: false,
  },
  CLIENT_CONNECTION_LOST: {
    message: 'The connection broke before the answer was complete',
    retryable: true,
    mayHaveRun: true,
  },
  CLIENT_TIMEOUT: {
    message: 'No complete answer arrived in time',
    retryable: true,
    mayHaveRun: true,
  },
  CLIENT_GATEWAY_ERROR: {
    message: 'A proxy or gateway answered instead of the service',
    retryable: true,
    mayHaveRun: true,
  },
  CLIENT_REDIRECTED: {
    message: 'The endpoint redirects, and redirects are not followed',
    retryable: false,
    mayHaveRun: false,
  },
  CLIENT_RESPONSE_TOO_LARGE: {
    message: 'The answer is larger than the limit',
    retryable: false,
    mayHaveRun: true,
  },
  CLIENT_INVALID_RESPONSE: {
    message: 'The answer is not a valid Forrst response',
    retryable: false,
    mayHaveRun: true,
  },
} as const

/** A code of the table above. */
export type ClientCode = keyof typeof CLIENT_CODES

/** Makes an error with a client-side code; a handler that lets it pass answers 502, not 400. */
export function clientError(code: ClientCode, options: CallErrorOptions = {}): CallError {
  return new CallError(code, {
    ...options,
    message: options.message ?? CLIENT_CODES[code].message,
    status: 502,
  })
}

/** Keeps an error of ours, and gives anything else a client-side code. */
export function toClientError(thrown: unknown, code: ClientCode): CallError {
  if (thrown instanceof CallError) return thrown
  const { message } = CLIENT_CODES[code]
  const text = thrown instanceof Error ? `${message}: ${thrown.message}` : message
  return clientError(code, { message: text, cause: thrown })
}

/** Looks up what is known about a client-side code. */
export function resolveClientCode(code: string): ClientCodeRow | undefined {
  return ROWS.get(code)
}

const ROWS: ReadonlyMap<string, ClientCodeRow> = new Map(
  Object.entries<ClientCodeRow>(CLIENT_CODES),
)

/** Makes the error of a call that its signal ended: the signal's own reason when that is one of ours. */
export function abortError(signal: AbortSignal): CallError {
  const reason: unknown = signal.reason
  return reason instanceof CallError
    ? reason
    : new CallError('CANCELLED', { message: 'The call was aborted by its signal', cause: reason })
}

/** Turns what a failed call says into an error to throw. */
export function toCallError({
  errors,
  cause,
}: Pick<Failure, 'errors'> & { readonly cause?: unknown }): CallError {
  const [first] = errors
  const error =
    resolveClientCode(first.code) === undefined
      ? new CallError(first.code, { message: first.message, cause })
      : clientError(first.code as ClientCode, { message: first.message, cause })
  return Object.assign(error, { errors })
}

// The end of the call being served is not the dependency's failure, and its caller should read it as what it is.
const OWN_END = ['CANCELLED', 'DEADLINE_EXCEEDED']

/** Turns the error of a call into what is thrown: a DEPENDENCY_ERROR when a handler made the call on behalf of another. */
export function toThrown(
  error: CallError,
  { within }: { readonly within?: unknown },
  target: string,
): CallError {
  const own = within === undefined || OWN_END.includes(error.code)
  return own ? error : toDependencyError(error, target)
}

/** Turns a failed call into the failure of a handler that depended on it. */
export function toDependencyError(error: CallError, dependency: string): CallError {
  return new CallError('DEPENDENCY_ERROR', {
    message: `${dependency} answered ${error.code}`,
    details: { dependency, dependency_error: error.code },
    cause: error,
  })
}
