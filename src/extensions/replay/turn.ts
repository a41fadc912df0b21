import { randomUUID } from 'node:crypto'
import {
  type Call,
  createReply,
  type Logger,
  type Outcome,
  type Service,
  toFailure,
} from '../../core/index.ts'
import { CallError, resolveCode } from '../../errors/index.ts'
import type { Store } from '../../store/index.ts'
import { formatTimestamp, isRecord, ownMember, toMilliseconds } from '../../values/index.ts'
import { holdEntry, repeatWrite } from '../../work/index.ts'
import { toStoredOutcome } from '../idempotency/index.ts'
import type { Outgoing } from '../outgoing/index.ts'
import { toEndContent } from '../webhook/index.ts'
import {
  isOver,
  type QueuedReplay,
  REPLAY_KEYS,
  type ReplayCall,
  type ReplayOutcome,
  type ReplayRecord,
} from './record.ts'
import type { ReplayStore } from './store.ts'

/** What announcing a replay needs. */
export interface AnnouncementOptions {
  readonly replays: ReplayStore
  readonly outgoing: Outgoing | undefined
  readonly log: Logger
}

/** Tells the URL that the caller gave how a replay has ended. */
export async function announceReplay(
  record: ReplayRecord,
  { replays, outgoing, log }: AnnouncementOptions,
): Promise<void> {
  const callback = (await replays.readCall(record.id))?.callback
  if (callback === undefined || outgoing === undefined || record.status === 'cancelled') return
  const end = await replays.readOutcome(record.id)
  try {
    await outgoing.send({
      id: record.id.replace(/^rpl_/, 'msg_'),
      url: callback.url,
      body: encodeCallback(record, end),
      ...(callback.headers && { headers: callback.headers }),
      ...(outgoing.signs('standard') && { signature: 'standard' as const }),
    })
  } catch (thrown) {
    // The rules have changed since the URL was accepted: trying again does not change them back.
    if (!(thrown instanceof CallError && thrown.code === 'INVALID_ARGUMENTS')) throw thrown
    log.error('the callback of a replay cannot be sent', { replay: record.id, error: thrown })
  }
}

function encodeCallback(record: ReplayRecord, end: ReplayOutcome | undefined): string {
  const { id, status, request, function: name, queuedAt, expiresAt, replayedAt } = record
  return JSON.stringify({
    event: `replay.${status}`,
    timestamp: formatTimestamp(replayedAt ?? expiresAt),
    data: {
      replay_id: id,
      status,
      original_request_id: request,
      function: name,
      ...(end?.outcome && toEndContent({ outcome: end.outcome, redacted: false })),
      queued_at: formatTimestamp(queuedAt),
      ...(replayedAt !== undefined && { replayed_at: formatTimestamp(replayedAt) }),
    },
  })
}

/** A replay that this process, and no other, runs. */
export interface ReplayClaim {
  release(): Promise<void>
}

/** How long a replay outlives the process that ran it before another takes it up. */
const LEASE_MS = 30_000

/** Claims a replay; undefined when it is claimed already. */
export async function claimReplay(store: Store, id: string): Promise<ReplayClaim | undefined> {
  const key = REPLAY_KEYS.claim(id)
  const owner = randomUUID()
  const put = await store.putIfAbsent(key, null, { ttl: LEASE_MS, owner })
  if (!put.created) return undefined
  const { revision } = put
  const lease = holdEntry(store, { key, value: null, revision, owner, leaseMs: LEASE_MS })
  return {
    async release() {
      await lease.stop()
      await store.deleteIfOwner(key, owner)
    },
  }
}

/** What a run came to: over, not possible yet for the server or the function, or to be tried again. */
export type ReplayVerdict =
  | { readonly kind: 'over'; readonly end: ReplayOutcome; readonly ok: boolean }
  | { readonly kind: 'closed'; readonly scope: 'server' | 'function'; readonly retryMs: number }
  | { readonly kind: 'transient'; readonly end: ReplayOutcome; readonly retryMs: number }

/** Refusals from before the function ran: a replay that meets one has not been tried. */
const CLOSED: Readonly<Record<string, 'server' | 'function'>> = {
  SERVER_MAINTENANCE: 'server',
  FUNCTION_MAINTENANCE: 'function',
  FUNCTION_DISABLED: 'function',
  RATE_LIMITED: 'function',
}

/** Runs the call of a replay through all its extensions, as when it was made, and judges what came of it. */
export async function runReplay(
  service: Service,
  { call: kept }: ReplayCall,
  signal: AbortSignal,
): Promise<ReplayVerdict> {
  const call = toCall(kept, service, signal)
  const outcome = await dispatch(service, call)
  const entries = call.reply.extensions
  const end = { outcome: toStoredOutcome(outcome) as Outcome, ...(entries && { entries }) }
  if (outcome.ok) return { kind: 'over', end, ok: true }
  const [{ code, details }] = outcome.errors
  const retryMs = readRetryMs(details?.['retry_after'])
  const scope = ownMember(CLOSED, code)
  if (scope !== undefined) return { kind: 'closed', scope, retryMs }
  return resolveCode(code).retryable
    ? { kind: 'transient', end, retryMs }
    : { kind: 'over', end, ok: false }
}

async function dispatch(service: Service, call: Call): Promise<Outcome> {
  try {
    return await service.dispatch(call, 'replay')
  } catch (thrown) {
    return toFailure(thrown, { call, log: service.log })
  }
}

function toCall(kept: ReplayCall['call'], service: Service, signal: AbortSignal): Call {
  return {
    ...kept,
    version: kept.version,
    context: kept.context,
    principal: kept.principal,
    signal: () => signal,
    facts: {},
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
}

function readRetryMs(value: unknown): number {
  return (isRecord(value) ? toMilliseconds(value) : undefined) ?? 0
}

/** What one replay is run with. */
export interface ReplayTurnOptions {
  readonly store: Store
  readonly replays: ReplayStore
  readonly outgoing: Outgoing | undefined
  /** Runs that may fail for a reason that passes. */
  readonly maxAttempts: number
  /** Milliseconds between two looks at a queue whose head cannot run yet. */
  readonly pollMs: number
  /** Milliseconds before the run after the given attempt. */
  readonly backoffMs: (attempt: number) => number
}

/** What a turn is about. */
export interface TurnFacts {
  readonly service: Service
  readonly signal: AbortSignal
  /** The caller wants it now: a pause after a failure does not count. */
  readonly now: boolean
}

/** What became of an entry of the queue, and when to look again where it is still there. */
export type Turn =
  | { readonly kind: 'done' }
  | { readonly kind: 'stop' | 'function' | 'later'; readonly delayMs: number }

const DONE: Turn = { kind: 'done' }

/** The shortest pause between two looks. */
export const SHORTEST_MS = 1_000

/** Tells whether this process can run a function in a version. */
export function isKnownHere(
  { registry }: Service,
  { function: name, version }: Pick<ReplayRecord, 'function' | 'version'>,
): boolean {
  return registry.find(name)?.versions.has(version) === true
}

/** Gives a replay its turn: runs it, or finds that it is over, or that it cannot run yet. */
export type TakeTurn = (
  queued: Pick<QueuedReplay, 'id' | 'owner'>,
  facts: TurnFacts,
) => Promise<Turn>

/** Makes what gives replays their turns. */
export function createReplayTurns(options: ReplayTurnOptions): TakeTurn {
  const { store, replays, outgoing, maxAttempts, pollMs, backoffMs } = options

  /** Tells the caller and lets the replay go; may be done twice after a crash, with the same message. */
  async function close(record: ReplayRecord, service: Service): Promise<void> {
    await announceReplay(record, { replays, outgoing, log: service.log })
    await replays.remove(record)
  }

  async function settle(
    record: ReplayRecord,
    status: 'completed' | 'failed' | 'expired',
    { end, service }: { readonly end?: ReplayOutcome; readonly service: Service },
  ): Promise<void> {
    if (end) await replays.keepOutcome(record.id, end)
    const replayedAt = service.clock.now()
    const changed = await replays.change(record, (current) =>
      isOver(current.status)
        ? undefined
        : { ...current, status, ...(status !== 'expired' && { replayedAt }) },
    )
    await close(changed ?? { ...record, status }, service)
  }

  async function judge(
    record: ReplayRecord,
    verdict: ReplayVerdict,
    service: Service,
  ): Promise<Turn> {
    if (verdict.kind === 'over') {
      await settle(record, verdict.ok ? 'completed' : 'failed', { end: verdict.end, service })
      return DONE
    }
    if (verdict.kind === 'closed') {
      const { attempts } = record
      await putBack(replays, record, { attempts: attempts - 1 })
      const delayMs = Math.max(SHORTEST_MS, Math.min(pollMs, verdict.retryMs || pollMs))
      return { kind: verdict.scope === 'server' ? 'stop' : 'function', delayMs }
    }
    if (record.attempts >= maxAttempts) {
      await settle(record, 'failed', { end: verdict.end, service })
      return DONE
    }
    const delayMs = Math.max(backoffMs(record.attempts), verdict.retryMs)
    await putBack(replays, record, { notBefore: service.clock.now() + delayMs })
    return { kind: 'later', delayMs }
  }

  /** Runs a replay that nobody else may run meanwhile. */
  async function run(record: ReplayRecord, service: Service, signal: AbortSignal): Promise<Turn> {
    const begun = await replays.change(record, (current) =>
      isOver(current.status)
        ? undefined
        : { ...current, status: 'processing', attempts: current.attempts + 1 },
    )
    if (begun === undefined) return DONE
    const kept = await replays.readCall(record.id)
    if (kept === undefined) {
      await settle(begun, 'failed', { service })
      return DONE
    }
    const verdict = await runReplay(service, kept, signal)
    // The process ends: what an aborted run says is not what the function says.
    if (signal.aborted && !(verdict.kind === 'over' && verdict.ok)) {
      await putBack(replays, begun, {})
      return { kind: 'stop', delayMs: 0 }
    }
    // The function has run: what came of it is recorded when the store is back, also after the claim has run out.
    return repeatWrite(() => judge(begun, verdict, service), {
      log: service.log,
      id: begun.id,
      isStopped: () => signal.aborted,
    })
  }

  return async function takeTurn(queued, { service, signal, now }) {
    const claim = await claimReplay(store, queued.id)
    if (claim === undefined) return { kind: 'stop', delayMs: SHORTEST_MS }
    try {
      const record = await replays.read(queued)
      if (record === undefined) return DONE
      const moment = service.clock.now()
      const { notBefore = 0 } = record
      if (isOver(record.status)) await close(record, service)
      else if (moment >= record.expiresAt) await settle(record, 'expired', { service })
      else if (record.attempts >= maxAttempts) await settle(record, 'failed', { service })
      else if (notBefore > moment && !now) return { kind: 'later', delayMs: notBefore - moment }
      else if (!isKnownHere(service, record)) return { kind: 'function', delayMs: SHORTEST_MS }
      else return await run(record, service, signal)
      return DONE
    } finally {
      await claim.release()
    }
  }
}

async function putBack(
  replays: ReplayStore,
  record: ReplayRecord,
  changes: Partial<ReplayRecord>,
): Promise<void> {
  await replays.change(record, (current) =>
    current.status === 'processing' ? { ...current, status: 'queued', ...changes } : undefined,
  )
}
