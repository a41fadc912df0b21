/** What is known about an error code before anybody throws it. */
export interface CodeRow {
  readonly status: number
  readonly rpc: number
  readonly retryable: boolean
  readonly message: string
}

/** Every error code of the protocol: the one table that all surfaces and docs/reference/errors.md derive from. */
export const CODES = {
  PARSE_ERROR: {
    status: 400,
    rpc: -32700,
    retryable: false,
    message: 'The request body is not valid JSON',
  },
  INVALID_REQUEST: {
    status: 400,
    rpc: -32600,
    retryable: false,
    message: 'The request violates the protocol',
  },
  INVALID_PROTOCOL_VERSION: {
    status: 400,
    rpc: -32600,
    retryable: false,
    message: 'Protocol version not supported',
  },
  FUNCTION_NOT_FOUND: { status: 404, rpc: -32601, retryable: false, message: 'Function not found' },
  VERSION_NOT_FOUND: {
    status: 404,
    rpc: -32601,
    retryable: false,
    message: 'Function version not found',
  },
  FUNCTION_DISABLED: {
    status: 503,
    rpc: -32001,
    retryable: true,
    message: 'Function temporarily disabled',
  },
  INVALID_ARGUMENTS: { status: 400, rpc: -32602, retryable: false, message: 'Invalid arguments' },
  SCHEMA_VALIDATION_FAILED: {
    status: 422,
    rpc: -32602,
    retryable: false,
    message: 'Arguments violate the schema',
  },
  EXTENSION_NOT_SUPPORTED: {
    status: 400,
    rpc: -32002,
    retryable: false,
    message: 'Extension not supported',
  },
  EXTENSION_NOT_APPLICABLE: {
    status: 400,
    rpc: -32003,
    retryable: false,
    message: 'Extension not applicable to this function',
  },
  UNAUTHORIZED: { status: 401, rpc: -32010, retryable: false, message: 'Authentication required' },
  FORBIDDEN: { status: 403, rpc: -32011, retryable: false, message: 'Not permitted' },
  NOT_FOUND: {
    status: 404,
    rpc: -32012,
    retryable: false,
    message: 'The requested resource was not found',
  },
  CONFLICT: {
    status: 409,
    rpc: -32013,
    retryable: false,
    message: 'Conflicts with the current state',
  },
  GONE: { status: 410, rpc: -32014, retryable: false, message: 'The resource is gone' },
  DEADLINE_EXCEEDED: { status: 408, rpc: -32020, retryable: true, message: 'Deadline exceeded' },
  RATE_LIMITED: { status: 429, rpc: -32021, retryable: true, message: 'Too many requests' },
  QUOTA_EXCEEDED: { status: 429, rpc: -32022, retryable: false, message: 'Quota used up' },
  INTERNAL_ERROR: { status: 500, rpc: -32603, retryable: true, message: 'Internal error' },
  UNAVAILABLE: {
    status: 503,
    rpc: -32023,
    retryable: true,
    message: 'Service temporarily unavailable',
  },
  DEPENDENCY_ERROR: { status: 502, rpc: -32024, retryable: true, message: 'A dependency failed' },
  VALIDATION_ERROR: { status: 400, rpc: -32025, retryable: false, message: 'Validation failed' },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    rpc: -32030,
    retryable: false,
    message: 'Idempotency key reused with other arguments',
  },
  IDEMPOTENCY_PROCESSING: {
    status: 409,
    rpc: -32031,
    retryable: true,
    message: 'A request with this idempotency key is running',
  },
  ASYNC_OPERATION_NOT_FOUND: {
    status: 404,
    rpc: -32040,
    retryable: false,
    message: 'Operation not found',
  },
  ASYNC_OPERATION_FAILED: {
    status: 500,
    rpc: -32041,
    retryable: false,
    message: 'Operation failed',
  },
  ASYNC_CANNOT_CANCEL: {
    status: 400,
    rpc: -32042,
    retryable: false,
    message: 'Operation cannot be cancelled',
  },
  ASYNC_VERSION_CONFLICT: {
    status: 409,
    rpc: -32043,
    retryable: false,
    message: 'Operation was modified concurrently',
  },
  ASYNC_QUOTA_EXCEEDED: {
    status: 429,
    rpc: -32044,
    retryable: false,
    message: 'Too many concurrent operations',
  },
  SERVER_MAINTENANCE: {
    status: 503,
    rpc: -32050,
    retryable: true,
    message: 'Service under scheduled maintenance',
  },
  FUNCTION_MAINTENANCE: {
    status: 503,
    rpc: -32051,
    retryable: true,
    message: 'Function under scheduled maintenance',
  },
  REPLAY_NOT_FOUND: { status: 404, rpc: -32060, retryable: false, message: 'Replay not found' },
  REPLAY_EXPIRED: { status: 410, rpc: -32061, retryable: false, message: 'Replay expired' },
  REPLAY_ALREADY_COMPLETE: {
    status: 409,
    rpc: -32062,
    retryable: false,
    message: 'Replay already complete',
  },
  REPLAY_CANCELLED: { status: 410, rpc: -32063, retryable: false, message: 'Replay was cancelled' },
  CANCELLED: { status: 499, rpc: -32070, retryable: false, message: 'Request cancelled' },
  CANCELLATION_TOKEN_UNKNOWN: {
    status: 404,
    rpc: -32071,
    retryable: false,
    message: 'Cancellation token unknown',
  },
  CANCELLATION_TOO_LATE: {
    status: 409,
    rpc: -32072,
    retryable: false,
    message: 'Request already finished',
  },
  LOCK_ACQUISITION_FAILED: { status: 423, rpc: -32080, retryable: true, message: 'Lock is held' },
  LOCK_TIMEOUT: {
    status: 423,
    rpc: -32081,
    retryable: true,
    message: 'Waiting for the lock timed out',
  },
  LOCK_NOT_FOUND: {
    status: 404,
    rpc: -32082,
    retryable: false,
    message: 'Lock does not exist or has expired',
  },
  LOCK_OWNERSHIP_MISMATCH: {
    status: 403,
    rpc: -32083,
    retryable: false,
    message: 'Lock is held by another owner',
  },
  LOCK_ALREADY_RELEASED: {
    status: 409,
    rpc: -32084,
    retryable: false,
    message: 'Lock already released',
  },
  SIMULATION_NOT_SUPPORTED: {
    status: 400,
    rpc: -32090,
    retryable: false,
    message: 'Function has no simulation scenarios',
  },
  SIMULATION_SCENARIO_NOT_FOUND: {
    status: 404,
    rpc: -32091,
    retryable: false,
    message: 'Simulation scenario not found',
  },
  REDACTION_REQUIRED: {
    status: 403,
    rpc: -32092,
    retryable: false,
    message: 'Redaction cannot be bypassed',
  },
} as const

/** A code of the table above. */
export type Code = keyof typeof CODES

/** Looks a code up; one that an application made for itself counts as its caller's mistake. */
export function resolveCode(code: string): CodeRow {
  return ROWS.get(code) ?? APPLICATION_CODE
}

const ROWS: ReadonlyMap<string, CodeRow> = new Map(Object.entries<CodeRow>(CODES))

const APPLICATION_CODE: CodeRow = {
  status: 400,
  rpc: -32000,
  retryable: false,
  message: 'The call failed',
}
