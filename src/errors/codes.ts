/** What is known about an error code before anybody throws it. */
export interface CodeRow {
  readonly status: number
  readonly rpc: number
  readonly retryable: boolean
  readonly message: string
}

/** Status, JSON-RPC number, whether the same call may succeed later, message. */
const TABLE = {
  PARSE_ERROR: [400, -32700, false, 'The request body is not valid JSON'],
  INVALID_REQUEST: [400, -32600, false, 'The request violates the protocol'],
  INVALID_PROTOCOL_VERSION: [400, -32600, false, 'Protocol version not supported'],
  FUNCTION_NOT_FOUND: [404, -32601, false, 'Function not found'],
  VERSION_NOT_FOUND: [404, -32601, false, 'Function version not found'],
  FUNCTION_DISABLED: [503, -32001, true, 'Function temporarily disabled'],
  INVALID_ARGUMENTS: [400, -32602, false, 'Invalid arguments'],
  SCHEMA_VALIDATION_FAILED: [422, -32602, false, 'Arguments violate the schema'],
  EXTENSION_NOT_SUPPORTED: [400, -32002, false, 'Extension not supported'],
  EXTENSION_NOT_APPLICABLE: [400, -32003, false, 'Extension not applicable to this function'],
  UNAUTHORIZED: [401, -32010, false, 'Authentication required'],
  FORBIDDEN: [403, -32011, false, 'Not permitted'],
  NOT_FOUND: [404, -32012, false, 'The requested resource was not found'],
  CONFLICT: [409, -32013, false, 'Conflicts with the current state'],
  GONE: [410, -32014, false, 'The resource is gone'],
  DEADLINE_EXCEEDED: [408, -32020, true, 'Deadline exceeded'],
  RATE_LIMITED: [429, -32021, true, 'Too many requests'],
  QUOTA_EXCEEDED: [429, -32022, false, 'Quota used up'],
  INTERNAL_ERROR: [500, -32603, true, 'Internal error'],
  UNAVAILABLE: [503, -32023, true, 'Service temporarily unavailable'],
  DEPENDENCY_ERROR: [502, -32024, true, 'A dependency failed'],
  VALIDATION_ERROR: [400, -32025, false, 'Validation failed'],
  IDEMPOTENCY_CONFLICT: [409, -32030, false, 'Idempotency key reused with other arguments'],
  IDEMPOTENCY_PROCESSING: [409, -32031, true, 'A request with this idempotency key is running'],
  ASYNC_OPERATION_NOT_FOUND: [404, -32040, false, 'Operation not found'],
  ASYNC_OPERATION_FAILED: [500, -32041, false, 'Operation failed'],
  ASYNC_CANNOT_CANCEL: [400, -32042, false, 'Operation cannot be cancelled'],
  ASYNC_VERSION_CONFLICT: [409, -32043, false, 'Operation was modified concurrently'],
  ASYNC_QUOTA_EXCEEDED: [429, -32044, false, 'Too many concurrent operations'],
  SERVER_MAINTENANCE: [503, -32050, true, 'Service under scheduled maintenance'],
  FUNCTION_MAINTENANCE: [503, -32051, true, 'Function under scheduled maintenance'],
  REPLAY_NOT_FOUND: [404, -32060, false, 'Replay not found'],
  REPLAY_EXPIRED: [410, -32061, false, 'Replay expired'],
  REPLAY_ALREADY_COMPLETE: [409, -32062, false, 'Replay already complete'],
  REPLAY_CANCELLED: [410, -32063, false, 'Replay was cancelled'],
  CANCELLED: [499, -32070, false, 'Request cancelled'],
  CANCELLATION_TOKEN_UNKNOWN: [404, -32071, false, 'Cancellation token unknown'],
  CANCELLATION_TOO_LATE: [409, -32072, false, 'Request already finished'],
  LOCK_ACQUISITION_FAILED: [423, -32080, true, 'Lock is held'],
  LOCK_TIMEOUT: [423, -32081, true, 'Waiting for the lock timed out'],
  LOCK_NOT_FOUND: [404, -32082, false, 'Lock does not exist or has expired'],
  LOCK_OWNERSHIP_MISMATCH: [403, -32083, false, 'Lock is held by another owner'],
  LOCK_ALREADY_RELEASED: [409, -32084, false, 'Lock already released'],
  SIMULATION_NOT_SUPPORTED: [400, -32090, false, 'Function has no simulation scenarios'],
  SIMULATION_SCENARIO_NOT_FOUND: [404, -32091, false, 'Simulation scenario not found'],
  REDACTION_REQUIRED: [403, -32092, false, 'Redaction cannot be bypassed'],
} as const

/** A code of the table above. */
export type Code = keyof typeof TABLE

/** Every error code of the protocol: the one table that all surfaces and docs/reference/errors.md derive from. */
export const CODES: Readonly<Record<Code, CodeRow>> = Object.fromEntries(
  Object.entries(TABLE).map(([code, [status, rpc, retryable, message]]) => [
    code,
    { status, rpc, retryable, message },
  ]),
) as Record<Code, CodeRow>

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
