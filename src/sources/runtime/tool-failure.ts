import { CallError, type Code } from '../../errors/index.ts'
import type { JsonObject } from '../../values/index.ts'
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
export function toToolCallError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && signal.reason instanceof CallError) return signal.reason
  if (thrown instanceof ToolHttpError) return fromStatus(thrown)
  if (!(thrown instanceof ToolError)) return thrown
  return new CallError(CODE_BY_REASON[thrown.reason], {
    ...toMessage(thrown),
    details: {
      tool: thrown.tool,
      ...(thrown.problems.length > 0 && { problems: thrown.problems }),
    },
    cause: thrown,
  })
}

/** Said instead of messages that name addresses and settings of ours. */
const NEUTRAL: Readonly<Partial<Record<ToolErrorReason, string>>> = {
  network: 'the API could not be reached',
  redirect: 'the API answered with a redirect that is not followed',
  timeout: 'no answer in time',
  setup: 'the service has no access to the API',
}

/** What is missing at start has a number and says which variable to set: that helps, and names no address. */
function toMessage({ tool, reason, message }: ToolError): {
  readonly message: string
  readonly reason?: string
} {
  const neutral = NEUTRAL[reason]
  if (neutral === undefined || /^E\d+ |has no code yet/.test(message)) return { message }
  return { message: `${tool}: ${neutral}`, reason: message }
}

// 401 is about our credential, not the caller's, so it must not ask the caller to log in.
function fromStatus(error: ToolHttpError): CallError {
  const { tool, method, url, status, body, retry_after } = error
  const details: JsonObject = {
    tool,
    upstream_status: status,
    upstream_request: `${method} ${toPath(url)}`,
    ...(body !== '' && { upstream_body: body }),
    ...(retry_after !== undefined && { retry_after: { value: retry_after, unit: 'second' } }),
  }
  const code = CODE_BY_STATUS.get(status) ?? 'DEPENDENCY_ERROR'
  const message = `${tool}: the API answered ${status}`
  return new CallError(code, { message, reason: `${method} ${url}`, details, cause: error })
}

/** Where the API is belongs to the service, what was asked of it to the caller. */
function toPath(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
