import { formatTimestamp } from '../core/clock.ts'
import { CallError } from '../core/error.ts'
import type { Logger } from '../core/service.ts'
import type { Outgoing } from './outgoing.ts'
import type { ReplayOutcome, ReplayRecord } from './replay-record.ts'
import type { ReplayStore } from './replay-store.ts'
import { toEndContent } from './webhook-event.ts'

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
