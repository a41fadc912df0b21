import type { Outcome } from '../core/call.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Delivery, DeliveryAttempt } from './delivery.ts'
import type { TriggerStatus } from './status.ts'
import type { TriggerTrial } from './trial.ts'

/** Writes a trigger as the functions answer it. */
export function encodeStatus({ next, last, ...status }: TriggerStatus): JsonObject {
  return {
    ...status,
    ...(next && { next: next.map(toTime) }),
    ...(last && {
      last: { id: last.id, state: last.state, received_at: toTime(last.receivedAt) },
    }),
  }
}

/** Writes a delivery as the functions answer it. */
export function encodeDelivery(delivery: Delivery): JsonObject {
  const { id, trigger, type, eventId, event, payload, meta, state, nextAttemptAt } = delivery
  return {
    id,
    trigger,
    type,
    event_id: eventId,
    ...(event !== undefined && { event }),
    state,
    received_at: toTime(delivery.receivedAt),
    tried: delivery.tried,
    redelivered: delivery.round,
    ...(nextAttemptAt !== undefined && { next_attempt_at: toTime(nextAttemptAt) }),
    attempts: delivery.attempts.map(encodeAttempt),
    payload,
    ...(meta && { meta }),
  }
}

/** Writes what came of trying a trigger out as the function answers it. */
export function encodeTrial({ outcome, problems, ...trial }: TriggerTrial): JsonObject {
  return {
    ...trial,
    fits: problems.length === 0,
    problems: problems as unknown as Json,
    ...(outcome && { outcome: encodeOutcome(outcome) }),
  }
}

function encodeOutcome(outcome: Outcome): JsonObject {
  return outcome.ok
    ? { ok: true, result: (outcome.result ?? null) as Json }
    : { ok: false, errors: outcome.errors as unknown as Json }
}

function encodeAttempt({ startedAt, endedAt, outcome, errors }: DeliveryAttempt): JsonObject {
  return {
    started_at: toTime(startedAt),
    ...(endedAt !== undefined && { ended_at: toTime(endedAt) }),
    outcome,
    ...(errors && { errors: errors as unknown as Json }),
  }
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
