import type { Code } from '../core/codes.ts'
import { CallError } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'
import { ToolError, type ToolErrorReason, ToolHttpError } from './tool-error.ts'

const CODE_BY_REASON = {
  arguments: 'INVALID_ARGUMENTS',
  setup: 'UNAVAILABLE',
  network: 'DEPENDENCY_ERROR',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  redirect: 'DEPENDENCY_ERROR',
  status: 'DEPENDENCY_ERROR',
} as const satisfies Record<ToolErrorReason, Code>

/** Statuses that say something about the call itself; all others only say that the upstream failed. */
const CODE_BY_STATUS: ReadonlyMap<number, Code> = new Map([
  [400, 'VALIDATION_ERROR'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [409, 'CONFLICT'],
  [410, 'GONE'],
  [412, 'CONFLICT'],
  [422, 'VALIDATION_ERROR'],
  [429, 'RATE_LIMITED'],
  [503, 'UNAVAILABLE'],
])

/** Turns what a tool call threw into an error that every surface can encode. */
export function toCallError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && signal.reason instanceof CallError) return signal.reason
  if (thrown instanceof ToolHttpError) return fromStatus(thrown)
  if (!(thrown instanceof ToolError)) return thrown
  return new CallError(CODE_BY_REASON[thrown.reason], {
    message: thrown.message,
    details: {
      tool: thrown.tool,
      ...(thrown.problems.length > 0 && { problems: thrown.problems }),
    },
    cause: thrown,
  })
}

// 401 is about our credential, not the caller's, so it must not ask the caller to log in.
function fromStatus(error: ToolHttpError): CallError {
  const { tool, method, url, status, body, retry_after } = error
  const details: JsonObject = {
    tool,
    upstream_status: status,
    upstream_request: `${method} ${url}`,
    ...(body !== '' && { upstream_body: body }),
    ...(retry_after !== undefined && { retry_after: { value: retry_after, unit: 'second' } }),
  }
  const code = CODE_BY_STATUS.get(status) ?? 'DEPENDENCY_ERROR'
  return new CallError(code, { message: error.message, details, cause: error })
}
