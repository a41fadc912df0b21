/** What is known about an error code before anybody throws it. */
export interface CodeRow {
  readonly status: number
  readonly rpc: number
  readonly retryable: boolean
  readonly message: string
}

/** Every error code of the protocol: the one table that all surfaces and docs/errors.md derive from. */
export const CODES = {
  PARSE_ERROR: row(400, -32700, false, 'The request body is not valid JSON'),
  INVALID_REQUEST: row(400, -32600, false, 'The request violates the protocol'),
  INVALID_PROTOCOL_VERSION: row(400, -32600, false, 'Protocol version not supported'),
  FUNCTION_NOT_FOUND: row(404, -32601, false, 'Function not found'),
  VERSION_NOT_FOUND: row(404, -32601, false, 'Function version not found'),
  FUNCTION_DISABLED: row(503, -32001, true, 'Function temporarily disabled'),
  INVALID_ARGUMENTS: row(400, -32602, false, 'Invalid arguments'),
  SCHEMA_VALIDATION_FAILED: row(422, -32602, false, 'Arguments violate the schema'),
  EXTENSION_NOT_SUPPORTED: row(400, -32002, false, 'Extension not supported'),
  EXTENSION_NOT_APPLICABLE: row(400, -32003, false, 'Extension not applicable to this function'),
  UNAUTHORIZED: row(401, -32010, false, 'Authentication required'),
  FORBIDDEN: row(403, -32011, false, 'Not permitted'),
  NOT_FOUND: row(404, -32012, false, 'The requested resource was not found'),
  CONFLICT: row(409, -32013, false, 'Conflicts with the current state'),
  GONE: row(410, -32014, false, 'The resource is gone'),
  DEADLINE_EXCEEDED: row(408, -32020, true, 'Deadline exceeded'),
  RATE_LIMITED: row(429, -32021, true, 'Too many requests'),
  QUOTA_EXCEEDED: row(429, -32022, false, 'Quota used up'),
  INTERNAL_ERROR: row(500, -32603, true, 'Internal error'),
  UNAVAILABLE: row(503, -32023, true, 'Service temporarily unavailable'),
  DEPENDENCY_ERROR: row(502, -32024, true, 'A dependency failed'),
  VALIDATION_ERROR: row(400, -32025, false, 'Validation failed'),
  IDEMPOTENCY_CONFLICT: row(409, -32030, false, 'Idempotency key reused with other arguments'),
  IDEMPOTENCY_PROCESSING: row(409, -32031, true, 'A request with this idempotency key is running'),
  ASYNC_OPERATION_NOT_FOUND: row(404, -32040, false, 'Operation not found'),
  ASYNC_OPERATION_FAILED: row(500, -32041, false, 'Operation failed'),
  ASYNC_CANNOT_CANCEL: row(400, -32042, false, 'Operation cannot be cancelled'),
  ASYNC_VERSION_CONFLICT: row(409, -32043, false, 'Operation was modified concurrently'),
  ASYNC_QUOTA_EXCEEDED: row(429, -32044, false, 'Too many concurrent operations'),
  SERVER_MAINTENANCE: row(503, -32050, true, 'Service under scheduled maintenance'),
  FUNCTION_MAINTENANCE: row(503, -32051, true, 'Function under scheduled maintenance'),
  REPLAY_NOT_FOUND: row(404, -32060, false, 'Replay not found'),
  REPLAY_EXPIRED: row(410, -32061, false, 'Replay expired'),
  REPLAY_ALREADY_COMPLETE: row(409, -32062, false, 'Replay already complete'),
  REPLAY_CANCELLED: row(410, -32063, false, 'Replay was cancelled'),
  CANCELLED: row(499, -32070, false, 'Request cancelled'),
  CANCELLATION_TOKEN_UNKNOWN: row(404, -32071, false, 'Cancellation token unknown'),
  CANCELLATION_TOO_LATE: row(409, -32072, false, 'Request already finished'),
  LOCK_ACQUISITION_FAILED: row(423, -32080, true, 'Lock is held'),
  LOCK_TIMEOUT: row(423, -32081, true, 'Waiting for the lock timed out'),
  LOCK_NOT_FOUND: row(404, -32082, false, 'Lock does not exist or has expired'),
  LOCK_OWNERSHIP_MISMATCH: row(403, -32083, false, 'Lock is held by another owner'),
  LOCK_ALREADY_RELEASED: row(409, -32084, false, 'Lock already released'),
  SIMULATION_NOT_SUPPORTED: row(400, -32090, false, 'Function has no simulation scenarios'),
  SIMULATION_SCENARIO_NOT_FOUND: row(404, -32091, false, 'Simulation scenario not found'),
  REDACTION_REQUIRED: row(403, -32092, false, 'Redaction cannot be bypassed'),
} as const satisfies Record<string, CodeRow>

/** A code of the table above. */
export type Code = keyof typeof CODES

/** Looks a code up; one that an application made for itself counts as its caller's mistake. */
export function resolveCode(code: string): CodeRow {
  return Object.hasOwn(CODES, code) ? CODES[code as Code] : APPLICATION_CODE
}

const APPLICATION_CODE = row(400, -32000, false, 'The call failed')

function row(status: number, rpc: number, retryable: boolean, message: string): CodeRow {
  return { status, rpc, retryable, message }
}
