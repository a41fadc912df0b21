import type { Json, JsonObject } from '../core/json.ts'
import type { Delivery, DeliveryAttempt } from './delivery.ts'
import type { TriggerStatus } from './status.ts'

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
