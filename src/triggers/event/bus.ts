import { randomUUID } from 'node:crypto'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import { isRecord, type Json, toReason } from '../../values/index.ts'
import { withinTime } from '../../work/index.ts'

const MAX_LENGTH = 200
// What would end or widen the subject of a message, or be lost in a header.
const PART = /^[^\s.*>:\p{Cc}]+$/u

/** Refuses the name of an event that cannot travel. */
export function assertEventName(event: string): void {
  if (isName(event, false)) return
  throw new TypeError(
    `event must be parts joined by dots, such as "orders.created"; got ${JSON.stringify(event)}`,
  )
}

/** Refuses a name to listen to that could never match. */
export function assertEventPattern(trigger: string, event: string): void {
  if (isName(event, true)) return
  throw new TypeError(
    `trigger ${trigger}: event must be parts joined by dots, such as "orders.created" or "orders.*"; got ${JSON.stringify(event)}`,
  )
}

/** Tells whether a name to listen to means an event; `*` stands for exactly one part. */
export function matchesEvent(pattern: string, event: string): boolean {
  if (pattern === event) return true
  if (!pattern.includes('*')) return false
  const wanted = pattern.split('.')
  const parts = event.split('.')
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => part === '*' || part === parts[index])
  )
}

function isName(event: unknown, wildcards: boolean): boolean {
  return (
    typeof event === 'string' &&
    event.length <= MAX_LENGTH &&
    event.split('.').every((part) => PART.test(part) || (wildcards && part === '*'))
  )
}

/** An event on its way from who emits it to who listens. */
export interface BusEvent {
  /** The same for every copy; listeners run once per id. */
  readonly id: string
  readonly event: string
  readonly payload: Json
}

/** Somebody who listens. */
export interface BusSubscription {
  /** Processes that listen under the same name share the events: each goes to one of them. */
  readonly group: string
  /** An exact name, or one with `*` for one part: `orders.*`. */
  readonly event: string
  /** Keeps an event; one whose promise rejects comes again. */
  readonly keep: (event: BusEvent) => Promise<unknown>
  /** Runs an event and answers its result, for whoever asks. */
  readonly answer: (event: BusEvent) => Promise<unknown>
}

/** A subscription at work. */
export interface BusListener {
  /** Takes no more and waits for what is being kept. */
  readonly stop: () => Promise<void>
  /** In words, when it cannot work at the moment. */
  readonly trouble: () => string | undefined
}

/** How an event is emitted. */
export interface EmitOptions {
  /** Chosen by the emitter, the same for every attempt: then listeners run once however often it is emitted. */
  readonly id?: string
}

/** How an event is asked. */
export interface AskOptions extends EmitOptions {
  /** 30,000 when absent. */
  readonly timeoutMs?: number
}

/** Events by name with their payloads; any when not said. */
export type EventMap = Readonly<Record<string, Json>>

/** Carries events from functions to the triggers that listen, here or on other machines. */
export interface EventBus<Events extends EventMap = EventMap> {
  /** `memory`, `nats` or `redis`. */
  readonly kind: string
  /** Tells everybody who listens; resolves with the id when the event is kept, not when it was handled. */
  emit<Name extends keyof Events & string>(
    event: Name,
    payload: Events[Name],
    options?: EmitOptions,
  ): Promise<string>
  /** Has one listener run now and answers its result; rejects with NOT_FOUND when nobody listens. */
  ask<Name extends keyof Events & string>(
    event: Name,
    payload: Events[Name],
    options?: AskOptions,
  ): Promise<unknown>
  subscribe(subscription: BusSubscription): Promise<BusListener>
  close(): Promise<void>
}

const DEFAULT_ASK_MS = 30_000

/**
 * Creates a bus within this process.
 *
 * @example
 * const events = createEventBus<{ 'orders.created': { id: string } }>()
 * // in a handler:
 * await events.emit('orders.created', { id: order.id }, { id: `created-${order.id}` })
 */
export function createEventBus<Events extends EventMap = EventMap>(): EventBus<Events> {
  const subscriptions = new Set<BusSubscription>()
  const matching = (event: string) =>
    [...subscriptions].filter((subscription) => matchesEvent(subscription.event, event))

  return {
    kind: 'memory',
    async emit(event, payload, options = {}) {
      const emitted = toBusEvent(event, payload, options)
      const kept = await Promise.allSettled(matching(event).map(({ keep }) => keep(emitted)))
      const failed = kept.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return emitted.id
    },
    async ask(event, payload, options = {}) {
      const asked = toBusEvent(event, payload, options)
      const [first] = matching(event)
      if (first === undefined) throw nobodyListens(event)
      return withinTime(first.answer(asked), askTimeout(options), () => tooLate(event))
    },
    async subscribe(subscription) {
      subscriptions.add(subscription)
      return {
        async stop() {
          subscriptions.delete(subscription)
        },
        trouble: () => undefined,
      }
    },
    async close() {
      subscriptions.clear()
    },
  }
}

/** Makes the event that travels; refuses a name that cannot. */
export function toBusEvent(event: string, payload: Json, { id }: EmitOptions): BusEvent {
  assertEventName(event)
  // Events under one id run once: an empty one would swallow all but the first.
  if (id !== undefined && (typeof id !== 'string' || id === '')) {
    throw new TypeError('the id of an event must be a non-empty string')
  }
  return { id: id ?? randomUUID(), event, payload: toJson(event, payload ?? null) }
}

function toJson(event: string, payload: Json): Json {
  const refuse = (reason: string): never => {
    throw new TypeError(`the payload of ${event} must be JSON: ${reason}`)
  }
  try {
    return JSON.stringify(payload) === undefined ? refuse(`got a ${typeof payload}`) : payload
  } catch (thrown) {
    return refuse(toReason(thrown))
  }
}

/** Reads how long an asker waits. */
export function askTimeout({ timeoutMs = DEFAULT_ASK_MS }: AskOptions): number {
  return timeoutMs
}

/** Makes the error for an event that nobody waits for. */
export function nobodyListens(event: string): CallError {
  return new CallError('NOT_FOUND', {
    message: `No trigger listens to ${event}`,
    details: { event },
  })
}

/** Makes the error for a question that was not answered in time. */
export function tooLate(event: string): CallError {
  return new CallError('DEADLINE_EXCEEDED', {
    message: `No listener answered ${event} in time`,
    details: { event },
  })
}

/** Writes an event as it travels. */
export function encodeBusEvent({ id, event, payload }: BusEvent): string {
  return JSON.stringify({ id, event, payload })
}

/** Reads an event that travelled; undefined when it is none. */
export function decodeEvent(text: string): BusEvent | undefined {
  const value = parse(text)
  if (!isRecord(value)) return undefined
  const { id, event, payload } = value
  if (typeof id !== 'string' || typeof event !== 'string') return undefined
  return { id, event, payload: (payload ?? null) as Json }
}

/** Runs an answer and writes how it ended; never rejects. */
export async function encodeBusAnswer(answer: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify({ ok: true, result: (await answer) ?? null })
  } catch (thrown) {
    const { errors } = thrown instanceof CallError ? thrown : new CallError('INTERNAL_ERROR')
    return JSON.stringify({ ok: false, errors })
  }
}

/** Reads how an answer ended: its result, or the error it failed with. */
export function decodeAnswer(text: string, event: string): unknown {
  const value = parse(text)
  if (!isRecord(value)) throw nobodyListens(event)
  if (value['ok'] === true) return value['result']
  const [first, ...rest] = Array.isArray(value['errors'])
    ? (value['errors'] as readonly CallErrorShape[])
    : []
  throw first ? CallError.all([first, ...rest]) : new CallError('INTERNAL_ERROR')
}

/** Makes the error of a bus whose server is away. */
export function busAway(kind: string, cause: unknown): CallError {
  return new CallError('UNAVAILABLE', { message: `The ${kind} bus does not answer`, cause })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
