import {
  type Call,
  defineFunction,
  type FunctionDefinition,
  restoreReply,
  type Service,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { jsonSchema } from '../../schema/index.ts'
import { toOwner } from '../../store/index.ts'
import { formatTimestamp, type JsonObject } from '../../values/index.ts'
import { toStoredJson } from '../../work/index.ts'
import {
  isReplayId,
  REPLAY_STATUSES,
  type ReplayRecord,
  type ReplayStatus,
  statusOf,
} from './record.ts'
import type { ReplayStore } from './store.ts'
import type { ReplayWorker } from './worker.ts'

/** What the functions of replays work on. */
export interface ReplayFunctionOptions {
  readonly replays: ReplayStore
  readonly worker: ReplayWorker
}

/** Lists the four functions that look after replays. */
export function replayFunctions(
  service: Service,
  options: ReplayFunctionOptions,
): readonly FunctionDefinition[] {
  return [
    statusFunction(service, options),
    cancelFunction(service, options),
    listFunction(service, options),
    triggerFunction(service, options),
  ]
}

const BY_ID = jsonSchema<{ replay_id: string }>({
  type: 'object',
  properties: {
    replay_id: { type: 'string', minLength: 1, description: 'Id from the queued call' },
  },
  required: ['replay_id'],
})

function statusFunction(
  { clock }: Service,
  { replays }: ReplayFunctionOptions,
): FunctionDefinition {
  return defineFunction({
    name: 'forrst.replay.status',
    version: '1.0.0',
    summary: 'Tell how a queued call stands, and what came of it',
    sideEffects: [],
    discoverable: false,
    input: BY_ID,
    async handler({ input: { replay_id: id }, call }) {
      const record = await requireReplay(replays, id, call)
      const status = statusOf(record, clock.now())
      if (status === 'expired') throw refuse('REPLAY_EXPIRED', record, status)
      const position = status === 'queued' ? await replays.position(record) : undefined
      const kept = await replays.readOutcome(id)
      restoreReply(call.reply, kept?.entries)
      const { outcome } = kept ?? {}
      return {
        ...toView(record, status),
        ...(position !== undefined && { position }),
        ...(outcome &&
          (outcome.ok ? { result: toJson(outcome.result) } : { errors: toJson(outcome.errors) })),
      }
    },
  })
}

function cancelFunction(
  { clock }: Service,
  { replays }: ReplayFunctionOptions,
): FunctionDefinition {
  return defineFunction({
    name: 'forrst.replay.cancel',
    version: '1.0.0',
    summary: 'Take a queued call back before it runs',
    sideEffects: ['update'],
    discoverable: false,
    input: BY_ID,
    async handler({ input: { replay_id: id }, call }) {
      const cancelledAt = clock.now()
      const record = await requireReplay(replays, id, call)
      const cancelled = await replays.change(record, (current) =>
        statusOf(current, cancelledAt) === 'queued'
          ? { ...current, status: 'cancelled' }
          : undefined,
      )
      if (cancelled === undefined)
        throw refuseEnded(await requireReplay(replays, id, call), cancelledAt)
      await replays.remove(cancelled)
      return { replay_id: id, status: 'cancelled', cancelled_at: formatTimestamp(cancelledAt) }
    },
  })
}

function triggerFunction(
  service: Service,
  { replays, worker }: ReplayFunctionOptions,
): FunctionDefinition {
  const { clock } = service
  return defineFunction({
    name: 'forrst.replay.trigger',
    version: '1.0.0',
    summary: 'Run a queued call now, before its turn',
    sideEffects: ['update'],
    discoverable: false,
    input: BY_ID,
    async handler({ input: { replay_id: id }, call }) {
      const now = clock.now()
      const record = await requireReplay(replays, id, call)
      const status = statusOf(record, now)
      if (status === 'queued') await worker.trigger(record, service)
      else if (status !== 'processing') throw refuseEnded(record, now)
      return { replay_id: id, status: 'processing', triggered_at: formatTimestamp(now) }
    },
  })
}

interface ListArguments {
  status?: ReplayStatus
  function?: string
  limit?: number
  cursor?: string
}

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100

function listFunction({ clock }: Service, { replays }: ReplayFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: 'forrst.replay.list',
    version: '1.0.0',
    summary: 'List the queued calls of the caller, the oldest first',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<ListArguments>({
      type: 'object',
      properties: {
        status: { type: 'string', enum: [...REPLAY_STATUSES] },
        function: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
        cursor: { type: 'string', pattern: '^rpl_[0-9A-Z]{26}$', description: 'next_cursor' },
      },
    }),
    async handler({ input, call }) {
      const { status, limit = DEFAULT_LIMIT, cursor = '' } = input
      const now = clock.now()
      const matching = (await replays.listOf(toOwner(call.principal)))
        .map((record) => ({ ...record, status: statusOf(record, now) }))
        .filter((record) => status === undefined || record.status === status)
        .filter((record) => input.function === undefined || record.function === input.function)
      const rest = matching.filter(({ id }) => id > cursor)
      const page = rest.slice(0, limit)
      return {
        replays: page.map(toListed),
        total: matching.length,
        next_cursor: rest.length > limit ? (page.at(-1)?.id ?? null) : null,
      }
    },
  })
}

function toListed({ id, function: name, status, queuedAt, reason }: ReplayRecord): JsonObject {
  return { replay_id: id, function: name, status, queued_at: formatTimestamp(queuedAt), reason }
}

function toView(record: ReplayRecord, status: ReplayStatus): JsonObject {
  const { id, request, function: name, version, queuedAt, expiresAt, replayedAt } = record
  return {
    replay_id: id,
    status,
    original_request_id: request,
    function: name,
    version,
    reason: record.reason,
    attempts: record.attempts,
    queued_at: formatTimestamp(queuedAt),
    expires_at: formatTimestamp(expiresAt),
    ...(replayedAt !== undefined && { replayed_at: formatTimestamp(replayedAt) }),
  }
}

function toJson(value: unknown): ReturnType<typeof toStoredJson> {
  return toStoredJson(value ?? null)
}

/** The replays of others do not exist. */
async function requireReplay(replays: ReplayStore, id: string, call: Call): Promise<ReplayRecord> {
  const owner = toOwner(call.principal)
  const record = isReplayId(id) ? await replays.read({ id, owner }) : undefined
  if (record !== undefined) return record
  throw new CallError('REPLAY_NOT_FOUND', { details: { replay_id: id } })
}

const ENDED = {
  cancelled: 'REPLAY_CANCELLED',
  expired: 'REPLAY_EXPIRED',
} as const

/** What runs or has run cannot be taken back, nor run again. */
function refuseEnded(record: ReplayRecord, now: number): CallError {
  const status = statusOf(record, now)
  const code =
    status === 'cancelled' || status === 'expired' ? ENDED[status] : 'REPLAY_ALREADY_COMPLETE'
  return refuse(code, record, status)
}

function refuse(
  code: 'REPLAY_CANCELLED' | 'REPLAY_EXPIRED' | 'REPLAY_ALREADY_COMPLETE',
  { id }: ReplayRecord,
  status: ReplayStatus,
): CallError {
  return new CallError(code, { details: { replay_id: id, status } })
}
