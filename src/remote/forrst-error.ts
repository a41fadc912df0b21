import { CallError } from '../core/error.ts'
import type { FunctionObject } from '../discovery/types.ts'
import type { ForrstFailure } from './forrst-client.ts'

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
export function toCallError(
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
