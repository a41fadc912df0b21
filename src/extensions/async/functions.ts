import {
  type Call,
  createUlid,
  defineFunction,
  type FunctionDefinition,
  restoreReply,
  type Service,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { jsonSchema } from '../../schema/index.ts'
import { toOwner } from '../../store/index.ts'
import { formatTimestamp, type JsonObject } from '../../values/index.ts'
import {
  hasEnded,
  OPERATION_KEYS as KEYS,
  OPERATION_STATUSES,
  type OperationRecord,
  type OperationStatus,
} from './record.ts'
import type { OperationStore } from './store.ts'

/** Makes the id of an operation: `op_` and a ULID, so that ids sort by time and nobody can guess one. */
export function createOperationId(now: number): string {
  return `op_${createUlid(now)}`
}

/** Tells whether a text can be the id of an operation; anything else is never looked up. */
export function isOperationId(text: string): boolean {
  return /^op_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)
}

/** The function that tells how an operation stands. */
export const STATUS_FUNCTION = 'urn:cline:forrst:ext:async:fn:status'

/** What the functions of operations work on. */
export interface OperationFunctionOptions {
  readonly operations: OperationStore
  /** Told of an operation that was cancelled. */
  readonly onCancelled: (record: OperationRecord) => Promise<void>
}

/** Lists the three functions that look after operations. */
export function operationFunctions(
  service: Service,
  options: OperationFunctionOptions,
): readonly FunctionDefinition[] {
  return [statusFunction(options), cancelFunction(service, options), listFunction(options)]
}

const BY_ID = jsonSchema<{ operation_id: string }>({
  type: 'object',
  properties: {
    operation_id: { type: 'string', minLength: 1, description: 'Id from the accepted call' },
  },
  required: ['operation_id'],
})

function statusFunction({ operations }: OperationFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: STATUS_FUNCTION,
    version: '1.0.0',
    summary: 'Tell how an operation stands, and its result when it is completed',
    sideEffects: [],
    discoverable: false,
    input: BY_ID,
    async handler({ input: { operation_id: id }, call }) {
      const record = await requireOperation(operations, id, call)
      const kept = hasEnded(record) ? await operations.readOutcome(record) : undefined
      if (record.status === 'failed') throw toOperationFailure(record, kept?.outcome)
      restoreReply(call.reply, kept?.entries)
      const { outcome } = kept ?? {}
      const result = outcome?.ok ? (outcome.result ?? null) : null
      return {
        operation_id: id,
        ...encodeFacts(record),
        // Two names for one value: the field table of the specification has the first, its examples the second.
        ...(record.status === 'completed' && { result, output: result }),
      }
    },
  })
}

function cancelFunction(
  { clock }: Service,
  { operations, onCancelled }: OperationFunctionOptions,
): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:ext:async:fn:cancel',
    version: '1.0.0',
    summary: 'Cancel an operation that has not ended',
    sideEffects: ['update'],
    discoverable: false,
    input: BY_ID,
    async handler({ input: { operation_id: id }, call }) {
      await requireOperation(operations, id, call)
      const ended = clock.now()
      const cancelled = await operations.change({ id }, (record) =>
        hasEnded(record) ? undefined : { ...record, status: 'cancelled', ended },
      )
      if (cancelled === undefined) throw notFound(id)
      if (!cancelled.changed) {
        const { status } = cancelled.item
        throw new CallError('ASYNC_CANNOT_CANCEL', {
          message: `The operation is ${status} already`,
          details: { operation_id: id, status },
        })
      }
      await onCancelled(cancelled.item)
      return { operation_id: id, status: 'cancelled', cancelled_at: formatTimestamp(ended) }
    },
  })
}

interface ListArguments {
  readonly status?: OperationStatus
  readonly function?: string
  readonly limit?: number
  readonly cursor?: string
}

const DEFAULT_LIMIT = 50

function listFunction({ operations }: OperationFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:ext:async:fn:list',
    version: '1.0.0',
    summary: 'List the operations of the caller, the newest first',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<ListArguments>({
      type: 'object',
      properties: {
        status: { type: 'string', enum: [...OPERATION_STATUSES] },
        function: { type: 'string', minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
        cursor: { type: 'string', pattern: '^\\d{16}:op_[0-9A-Z]{26}$' },
      },
    }),
    async handler({ input, principal }) {
      const { status, function: name, limit = DEFAULT_LIMIT, cursor } = input
      const page = await operations.page(KEYS.listOf(toOwner(principal)), {
        limit,
        cursor,
        matches: (record) =>
          (status === undefined || record.status === status) &&
          (name === undefined || record.function === name),
      })
      return {
        operations: page.items.map((record) => ({ id: record.id, ...encodeFacts(record) })),
        next_cursor: page.cursor ?? null,
      }
    },
  })
}

/** Operations of others are as unknown as those that never were. */
async function requireOperation(
  operations: OperationStore,
  id: string,
  call: Call,
): Promise<OperationRecord> {
  const record = isOperationId(id) ? await operations.read(id) : undefined
  if (record === undefined || record.owner !== toOwner(call.principal)) throw notFound(id)
  return record
}

function notFound(id: string): CallError {
  return new CallError('ASYNC_OPERATION_NOT_FOUND', { details: { operation_id: id } })
}

function toOperationFailure(
  { id, ended = 0 }: OperationRecord,
  outcome: { readonly ok: boolean; readonly errors?: readonly { message: string }[] } | undefined,
): CallError {
  const errors = outcome?.errors ?? []
  const reason = errors[0]?.message ?? 'Unknown'
  return new CallError('ASYNC_OPERATION_FAILED', {
    message: `The operation failed: ${reason}`,
    details: {
      operation_id: id,
      failed_at: formatTimestamp(ended),
      reason,
      errors: errors,
    },
  })
}

const END_NAMES = {
  completed: 'completed_at',
  failed: 'completed_at',
  cancelled: 'cancelled_at',
} as const

function encodeFacts(record: OperationRecord): JsonObject {
  const { status, progress, message, accepted, ended } = record
  const endName = status === 'pending' || status === 'processing' ? undefined : END_NAMES[status]
  return {
    function: record.function,
    version: record.version,
    status,
    ...(progress !== undefined && { progress }),
    ...(message !== undefined && { message }),
    started_at: formatTimestamp(accepted),
    ...(endName !== undefined && ended !== undefined && { [endName]: formatTimestamp(ended) }),
  }
}
