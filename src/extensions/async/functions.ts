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
import { type Entry, newestFirst, type Store, toCursor, toOwner } from '../../store/index.ts'
import { formatTimestamp, type JsonObject } from '../../values/index.ts'
import {
  hasEnded,
  OPERATION_KEYS as KEYS,
  OPERATION_STATUSES,
  type OperationRecord,
  type OperationStatus,
  toOperationRecord,
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

/** Which operations of a caller are wanted. */
export interface OperationQuery {
  readonly owner: string
  readonly limit: number
  readonly status?: OperationStatus
  readonly function?: string
  readonly cursor?: string
}

/** A page of operations, the newest first. */
export interface OperationPage {
  readonly operations: readonly OperationRecord[]
  /** Continues the listing; null when there is nothing left. */
  readonly cursor: string | null
}

/** A filter that matches little must not read everything: the page is then short and the cursor goes on from there. */
const MOST_LOOKED_AT = 500
const CURSOR = /^\d{16}:op_[0-9A-Z]{26}$/

/** Lists the operations of a caller at a cost that does not grow with their number. */
export async function listOwnOperations(
  store: Store,
  query: OperationQuery,
): Promise<OperationPage> {
  const { limit } = query
  const prefix = KEYS.listOf(query.owner)
  const found: OperationRecord[] = []
  let place = query.cursor === undefined ? undefined : requireCursor(query.cursor)
  for (let looked = 0; looked < MOST_LOOKED_AT; ) {
    const page = await store.listByPrefix(prefix, {
      limit: looked === 0 ? limit : Math.max(limit, 100),
      ...(place !== undefined && { cursor: toCursor(prefix + place) }),
    })
    const records = await readMatching(store, page.entries, query)
    const last = records[limit - found.length - 1]
    found.push(...records.slice(0, limit - found.length))
    place = last ? toPlace(last) : page.entries.at(-1)?.key.slice(prefix.length)
    const isLast = page.cursor === undefined && (last === undefined || last === records.at(-1))
    if (isLast || place === undefined) return { operations: found, cursor: null }
    if (last !== undefined) break
    looked += page.entries.length
  }
  return { operations: found, cursor: place ?? null }
}

async function readMatching(
  store: Store,
  entries: readonly Entry[],
  { status, function: name }: OperationQuery,
): Promise<readonly OperationRecord[]> {
  const listed = entries.map(({ value }) => value as { readonly id: string; function: string })
  const wanted = listed.filter((item) => name === undefined || item.function === name)
  const records = await Promise.all(wanted.map(({ id }) => store.get(KEYS.record(id))))
  return records
    .flatMap((entry) => (entry === undefined ? [] : [toOperationRecord(entry)]))
    .filter((record) => status === undefined || record.status === status)
}

/** Where an operation stands in the listing. */
function toPlace({ accepted, id }: OperationRecord): string {
  return `${newestFirst(accepted)}:${id}`
}

function requireCursor(cursor: string): string {
  if (CURSOR.test(cursor)) return cursor
  throw new CallError('INVALID_ARGUMENTS', {
    message: 'cursor: must be the next_cursor of an earlier page',
    source: { pointer: '/call/arguments/cursor' },
  })
}

/** The function that tells how an operation stands. */
export const STATUS_FUNCTION = 'urn:cline:forrst:ext:async:fn:status'

/** What the functions of operations work on. */
export interface OperationFunctionOptions {
  readonly store: Store
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
      const cancelled = await operations.change(id, (record) =>
        hasEnded(record) ? undefined : { ...record, status: 'cancelled', ended },
      )
      if (cancelled === undefined) throw notFound(id)
      if (!cancelled.changed) {
        const { status } = cancelled.record
        throw new CallError('ASYNC_CANNOT_CANCEL', {
          message: `The operation is ${status} already`,
          details: { operation_id: id, status },
        })
      }
      await onCancelled(cancelled.record)
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

function listFunction({ store }: OperationFunctionOptions): FunctionDefinition {
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
        cursor: { type: 'string', minLength: 1, maxLength: 100 },
      },
    }),
    async handler({ input: { limit = DEFAULT_LIMIT, ...filter }, principal }) {
      const page = await listOwnOperations(store, { ...filter, limit, owner: toOwner(principal) })
      return {
        operations: page.operations.map((record) => ({ id: record.id, ...encodeFacts(record) })),
        next_cursor: page.cursor,
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
