import type { Service } from '../core/service.ts'
import type { Store } from '../store/store.ts'
import type { Outgoing } from './outgoing.ts'
import { announceReplay } from './replay-callback.ts'
import { claimReplay } from './replay-claim.ts'
import {
  isOver,
  type QueuedReplay,
  type ReplayOutcome,
  type ReplayRecord,
} from './replay-record.ts'
import { type ReplayVerdict, runReplay } from './replay-run.ts'
import type { ReplayStore } from './replay-store.ts'

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
      await putBack(record, { attempts: attempts - 1 })
      const delayMs = Math.max(SHORTEST_MS, Math.min(pollMs, verdict.retryMs || pollMs))
      return { kind: verdict.scope === 'server' ? 'stop' : 'function', delayMs }
    }
    if (record.attempts >= maxAttempts) {
      await settle(record, 'failed', { end: verdict.end, service })
      return DONE
    }
    const delayMs = Math.max(backoffMs(record.attempts), verdict.retryMs)
    await putBack(record, { notBefore: service.clock.now() + delayMs })
    return { kind: 'later', delayMs }
  }

  async function putBack(record: ReplayRecord, changes: Partial<ReplayRecord>): Promise<void> {
    await replays.change(record, (current) =>
      current.status === 'processing' ? { ...current, status: 'queued', ...changes } : undefined,
    )
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
      await putBack(begun, {})
      return { kind: 'stop', delayMs: 0 }
    }
    return judge(begun, verdict, service)
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
      else return await run(record, service, signal)
      return DONE
    } finally {
      await claim.release()
    }
  }
}
