import type { Call, ExtensionEntry, Outcome, ReplyEntry } from '../../core/index.ts'
import { type Entry, storeKey, storePrefix } from '../../store/index.ts'
import { canonicalUrn, extensionUrn, type JsonObject } from '../../values/index.ts'

/** The canonical URN of the replay extension. */
export const REPLAY_URN: string = extensionUrn('replay')

/** How a replay stands; the last four are final. */
export const REPLAY_STATUSES = [
  'queued',
  'processing',
  'completed',
  'failed',
  'expired',
  'cancelled',
] as const

/** How a replay stands. */
export type ReplayStatus = (typeof REPLAY_STATUSES)[number]

/** How urgent a replay is, with what sorts it. */
export const REPLAY_PRIORITIES = { high: '1', normal: '5', low: '9' } as const

/** How urgent a replay is. */
export type ReplayPriority = keyof typeof REPLAY_PRIORITIES

/** What is known about a replay, without its call; times are epoch milliseconds. */
export interface ReplayRecord {
  readonly id: string
  /** Hash of the caller; only the same caller sees the replay. */
  readonly owner: string
  readonly function: string
  readonly version: string
  /** Name of the service that queued it; absent in what earlier releases queued. */
  readonly service?: string
  /** Id of the request that was queued. */
  readonly request: string
  readonly status: ReplayStatus
  /** Code of the refusal that was queued. */
  readonly reason: string
  readonly priority: ReplayPriority
  /** Counts the queued calls of all processes: clocks differ, and many calls share a millisecond. */
  readonly order: number
  readonly queuedAt: number
  readonly expiresAt: number
  /** Runs so far that reached the function and failed, or are under way. */
  readonly attempts: number
  /** Not before this moment, after a failure. */
  readonly notBefore?: number
  /** When the last run ended. */
  readonly replayedAt?: number
}

/** The call of a replay, complete, and whom to tell what came of it. */
export interface ReplayCall {
  readonly call: Pick<Call, 'id' | 'function' | 'arguments' | 'extensions'> &
    Partial<{
      readonly version: string
      readonly context: JsonObject
      readonly principal: NonNullable<Call['principal']>
    }>
  readonly callback?: ReplayCallback
}

/** Where the end of a replay is announced. */
export interface ReplayCallback {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What came of a replay; without an outcome when that was too large to keep. */
export interface ReplayOutcome {
  readonly outcome?: Outcome
  readonly entries?: readonly ReplyEntry[]
}

/** What the queue itself tells about a replay, so that walking past it costs nothing. */
export type QueuedReplay = Pick<ReplayRecord, 'id' | 'owner' | 'function' | 'expiresAt'> & {
  /** Absent in what earlier releases queued. */
  readonly version?: string
  readonly service?: string
}

/** Where the pieces of replays are kept. */
export const REPLAY_KEYS: {
  readonly record: (replay: Pick<ReplayRecord, 'id' | 'owner'>) => string
  readonly listOf: (owner: string) => string
  readonly queued: (replay: Pick<ReplayRecord, 'order' | 'priority'>) => string
  readonly queue: string
  readonly claim: (id: string) => string
  readonly count: (owner: string) => string
} = {
  record: ({ owner, id }) => storeKey('replay', owner, id),
  listOf: (owner) => storePrefix('replay', owner),
  /** Sorts by priority and then by age. */
  queued: ({ priority, order }) =>
    storeKey('replay-queue', REPLAY_PRIORITIES[priority], String(order).padStart(16, '0')),
  queue: storePrefix('replay-queue'),
  claim: (id) => storeKey('replay-claim', id),
  count: (owner) => storeKey('replay-count', owner),
}

/** Reads what the store keeps about a replay. */
export function toReplay({ value }: Entry): ReplayRecord {
  return value as unknown as ReplayRecord
}

/** Tells how a replay stands now: one whose time is over has expired, whether somebody noticed or not. */
export function statusOf(record: ReplayRecord, now: number): ReplayStatus {
  return record.status === 'queued' && now >= record.expiresAt ? 'expired' : record.status
}

/** Tells whether nothing more becomes of a replay. */
export function isOver(status: ReplayStatus): boolean {
  return status !== 'queued' && status !== 'processing'
}

/** Tells whether a text can be the id of a replay; anything else is never looked up. */
export function isReplayId(text: string): boolean {
  return /^rpl_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)
}

/** Not part of a replay: it is queued already, and nobody waits for its answer. */
const LEFT_OUT = new Set([REPLAY_URN, extensionUrn('deadline')])

/** Takes down a call as it was made, for a later run. */
export function toReplayCall(call: Call): ReplayCall['call'] {
  const { id, function: name, version, arguments: input, context, principal } = call
  const isKept = ({ urn }: ExtensionEntry) => !LEFT_OUT.has(canonicalUrn(urn))
  return {
    id,
    function: name,
    ...(version !== undefined && { version }),
    arguments: input,
    ...(context && { context }),
    extensions: call.extensions.filter(isKept),
    ...(principal && { principal }),
  }
}
