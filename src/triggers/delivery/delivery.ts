import { hash } from 'node:crypto'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import type { TriggerDef } from '../../sources/tool-spec/index.ts'
import type { Json, JsonObject } from '../../values/index.ts'
import type { TriggerEvent } from '../trigger.ts'

/** Where a delivery is on its way: `done` and `dead` are ends, the others are not. */
export type DeliveryState = 'received' | 'running' | 'retrying' | 'done' | 'dead'

/** One try to run the function. */
export interface DeliveryAttempt {
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt?: number
  /** `lost`: the process died with it; `interrupted`: the process was stopped before it ended. */
  readonly outcome: 'running' | 'done' | 'failed' | 'lost' | 'interrupted'
  readonly errors?: readonly CallErrorShape[]
}

/** An event on its way to its function: received, tried, done or given up. */
export interface Delivery {
  /** The same for every copy of the same event. */
  readonly id: string
  readonly trigger: string
  readonly type: TriggerDef['type']
  readonly eventId: string
  readonly event?: string | undefined
  readonly payload: Json
  readonly meta?: JsonObject | undefined
  readonly state: DeliveryState
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** The newest twenty of this round. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Attempts of this round, including those no longer listed. */
  readonly tried: number
  /** When the next attempt is due, while it is retrying. */
  readonly nextAttemptAt?: number | undefined
  /** How often it was sent again by hand. */
  readonly round: number
  /** Which process runs it, while it is running. */
  readonly by?: string | undefined
  /** Tells apart who wrote the record first, where that is asked. */
  readonly token?: string | undefined
  /** It came with more than a store holds, and only its id was kept. */
  readonly isBare?: true
}

/** Events with more payload are refused: record and job have to fit into every store. */
export const MAX_PAYLOAD_BYTES: number = 700 * 1024

/** No bytes take more than six times their number as JSON: a control character as `\\u0001` takes that many. */
const SURELY_FITS = MAX_PAYLOAD_BYTES / 6

/** What travels beside the payload; the rest of what a store holds is ours. */
const MAX_META_BYTES = 64 * 1024
const MAX_SHOWN_ID = 1_000
const MAX_EVENT_NAME = 200

const MAX_LISTED_ATTEMPTS = 20

/** Makes the delivery of an event; refuses one that its source refused, or that no store would hold. */
export function toDelivery(
  trigger: TriggerDef,
  { id, event, payload, meta, bytes, refused }: TriggerEvent,
  receivedAt: number,
): Delivery {
  if (refused !== undefined) throw unfit(refused)
  if (bytes === undefined || bytes > SURELY_FITS) {
    assertPayloadFits(payload)
    if (meta !== undefined) assertFits('meta', meta, MAX_META_BYTES)
  }
  // Every member is there, if only as undefined: objects of one shape are copied many times faster.
  return {
    id: toDeliveryId(trigger.name, id),
    trigger: trigger.name,
    type: trigger.type,
    eventId: id.slice(0, MAX_SHOWN_ID),
    event: event?.slice(0, MAX_EVENT_NAME) ?? ('event' in trigger ? trigger.event : undefined),
    payload,
    meta,
    state: 'received',
    receivedAt,
    attempts: [],
    tried: 0,
    nextAttemptAt: undefined,
    round: 0,
    by: undefined,
    token: undefined,
  }
}

/** Names a delivery after its trigger and event, so that copies of an event meet in one record. */
export function toDeliveryId(trigger: string, eventId: string): string {
  return `dlv_${hash('sha256', `${trigger}\n${eventId}`, 'base64url').slice(0, 24)}`
}

/** Tells whether nothing will happen to a delivery by itself any more. */
export function isDeliveryOver({ state }: Delivery): boolean {
  return state === 'done' || state === 'dead'
}

/** Marks the beginning of an attempt; one that never ended was lost with its process. */
export function beginAttempt(delivery: Delivery, now: number, by: string): Delivery {
  const { attempts, tried } = closeLost(delivery, now)
  const attempt: DeliveryAttempt = { startedAt: now, outcome: 'running' }
  return {
    ...delivery,
    state: 'running',
    by,
    tried: tried + 1,
    attempts: tried === 0 ? [attempt] : [...attempts, attempt].slice(-MAX_LISTED_ATTEMPTS),
    nextAttemptAt: undefined,
  }
}

/** Marks the end of the attempt that runs. */
export function endAttempt(
  delivery: Delivery,
  end: Omit<DeliveryAttempt, 'startedAt'>,
  next: { readonly state: DeliveryState; readonly nextAttemptAt?: number },
): Delivery {
  const attempts = delivery.attempts.slice()
  const last = attempts.pop()
  if (last) attempts.push({ startedAt: last.startedAt, ...end })
  const { state, nextAttemptAt } = next
  return { ...delivery, state, by: undefined, attempts, nextAttemptAt }
}

/** Begins another round of a delivery that is over. */
export function beginRound(delivery: Delivery): Delivery {
  const { round } = delivery
  return {
    ...delivery,
    state: 'received',
    by: undefined,
    round: round + 1,
    attempts: [],
    tried: 0,
    nextAttemptAt: undefined,
  }
}

function closeLost(delivery: Delivery, now: number): Delivery {
  return delivery.attempts.at(-1)?.outcome === 'running'
    ? endAttempt(delivery, { endedAt: now, outcome: 'lost' }, { state: 'retrying' })
    : delivery
}

function assertPayloadFits(payload: Json): void {
  if (typeof payload === 'string' ? payload.length < 1_000 : payload === null) return
  assertFits('payload', payload, MAX_PAYLOAD_BYTES)
}

function assertFits(what: string, value: Json, limit: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= limit) return
  throw unfit(`The ${what} has ${bytes} bytes as JSON; at most ${limit} fit`, { bytes, limit })
}

function unfit(message: string, details: JsonObject = {}): CallError {
  return new CallError('INVALID_REQUEST', { message, status: 413, details })
}
