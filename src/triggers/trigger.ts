import type { Logger } from '../core/index.ts'
import type { CallErrorShape } from '../errors/index.ts'
import type { TriggerDef } from '../sources/tool-spec/index.ts'
import type { Store } from '../store/index.ts'
import type { Clock, Json, JsonObject, Maybe } from '../values/index.ts'
import type { HttpHandler } from '../wire/index.ts'

/** Something that happened outside, on its way to a function. */
export interface TriggerEvent {
  /** Same for every copy of the same happening: the message id, the tick, the event id. Deliveries repeat by it. */
  readonly id: string
  readonly event?: string
  readonly payload: Json
  /** Facts about the transport: headers that matter, attributes, receive count. */
  readonly meta?: JsonObject
  /** How many bytes the payload came in, where that is known: a small one need not be measured. */
  readonly bytes?: number
  /** Why its source would not take its payload: it then goes straight to the dead-letter list. */
  readonly refused?: string
}

/** An event as the code of a trigger receives it. */
export interface ReceivedEvent<Payload = unknown> {
  /** Same for every copy of the same event. */
  readonly id: string
  /** Name of the trigger. */
  readonly trigger: string
  readonly type: TriggerDef['type']
  readonly event?: string
  readonly received_at: string
  readonly payload: Payload
  /** Facts about the transport, `delivery`, `attempt`, the filled `prompt`, and the `result` of the function. */
  readonly meta: Readonly<Record<string, unknown>>
  /** Aborts when the run has taken too long, or the process stops. */
  readonly signal: AbortSignal
}

/** Code of a trigger; its result is that of the run. */
export type TriggerHandler = (event: ReceivedEvent) => unknown

/** A trigger with the code that runs after its function, or instead of one when it names none. */
export type TriggerDefinition = TriggerDef & {
  readonly handler?: TriggerHandler | undefined
  /** Scopes that its calls have; a function that requires others cannot be its tool. */
  readonly scopes?: readonly string[] | undefined
}

/** What became of an event that was handed over. */
export type Receipt =
  /** Stored; it runs, and runs again on failure, without the source. */
  | { readonly status: 'accepted'; readonly delivery: string }
  /** The same id was handed over before. */
  | { readonly status: 'duplicate'; readonly delivery: string }

/** How an event ended whose source waits for it. */
export type Settled =
  | { readonly status: 'done'; readonly delivery: string; readonly result: unknown }
  /** It failed and is worth another attempt after a while. */
  | {
      readonly status: 'retry'
      readonly delivery: string
      readonly delayMs: number
      /** Why; absent when it did not get as far as the function. */
      readonly errors?: readonly [CallErrorShape, ...CallErrorShape[]]
    }
  /** It will never succeed, or has failed too often; it stands in the dead-letter list. */
  | {
      readonly status: 'dead'
      readonly delivery: string
      readonly errors?: readonly [CallErrorShape, ...CallErrorShape[]]
    }
  | { readonly status: 'duplicate'; readonly delivery: string }

/** How an event is run whose source waits for it. */
export interface SettleOptions {
  /** How often it may be tried; what the trigger says when absent. */
  readonly attempts?: number
}

/** What a source of events gets to work with. */
export interface SourceContext<Definition extends TriggerDef = TriggerDef> {
  readonly trigger: Definition
  /** Name of the service, for keys in what several services share. */
  readonly service: string
  /** Stores an event and lets it run in the background; rejects when it could not be stored. */
  readonly accept: (event: TriggerEvent) => Promise<Receipt>
  /** Runs an event now, for sources that keep it until it is done; never rejects for a failing function. */
  readonly settle: (event: TriggerEvent, options?: SettleOptions) => Promise<Settled>
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  /** Environment variables, for secrets and addresses. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder that relative paths count from. */
  readonly cwd: string
  /** The address the server listens on; 127.0.0.1 when there is none. */
  readonly host: string
  /** Tells whether a delivery still waits or runs; for sources that must not overlap. */
  readonly isOpen: (delivery: string) => Promise<boolean>
}

/** A source of events at work. */
export interface TriggerSource {
  /** Takes no more, waits for what runs (until the signal aborts), hands back the rest. */
  readonly stop: (signal: AbortSignal) => Promise<void>
  /** The next moments at which it fires, in epoch milliseconds; for schedules. */
  readonly next?: (count: number) => readonly number[]
  /** Answers the requests to `path` of the definition; for webhooks. */
  readonly handler?: HttpHandler
  /** In words, when it cannot work at the moment: `cannot reach RabbitMQ, trying again`. */
  readonly trouble?: () => string | undefined
}

/** Starts one kind of source. Mistakes in the definition throw a TypeError; a server that is away does not. */
export type StartSource<Definition extends TriggerDef> = (
  context: SourceContext<Definition>,
) => Maybe<TriggerSource>
