import {
  type Call,
  createReply,
  type ExtensionEntry,
  type Outcome,
  type Service,
  type Success,
  toFailure,
} from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { toToolCallError } from '../sources/runtime/index.ts'
import type { TriggerDef } from '../sources/tool-spec/index.ts'
import {
  extensionUrn,
  isPromise,
  isRecord,
  type Json,
  type JsonObject,
  type Maybe,
  toMilliseconds,
} from '../values/index.ts'
import { targetOf, toPrincipal } from './define-trigger.ts'
import type { Delivery } from './delivery/delivery.ts'
import type { TriggerDefinition, TriggerHandler } from './trigger.ts'

/** An event as paths and placeholders see it. */
export interface EventView {
  readonly id: string
  readonly event?: string | undefined
  readonly payload: Json
  readonly meta?: JsonObject | undefined
}

/** Builds the arguments of a call from an event; undefined when the payload cannot be arguments. */
export function toArguments(trigger: TriggerDef, event: EventView): JsonObject | undefined {
  const { payload_map: map, arguments: fixed } = trigger
  if (map !== undefined) {
    const entries = Object.entries(map).map(([name, path]) => [name, follow(event, path)] as const)
    return collect([
      ...Object.entries(fixed ?? {}),
      ...entries.filter(([, value]) => value !== undefined),
    ])
  }
  const { payload } = event
  if (payload === null || payload === '') return fixed ?? {}
  if (!isRecord(payload)) return undefined
  return fixed === undefined ? payload : collect(Object.entries({ ...fixed, ...payload }))
}

/** Fills the placeholders of a prompt from the arguments, then from the event; unknown ones stay as written. */
export function fillPrompt(prompt: string, args: JsonObject, event: EventView): string {
  return prompt.replace(PLACEHOLDER, (placeholder, path: string) => {
    const value = walk(args, path.split('.')) ?? follow(event, path)
    if (value === undefined) return placeholder
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

const PLACEHOLDER = /\{\{\s*(\$?[\w.-]+)\s*\}\}/g

/** Paths count from the payload; `$id`, `$event`, `$meta.…` and `$payload.…` reach the rest of the event. */
function follow(event: EventView, path: string): Json | undefined {
  const [first = '', ...rest] = path.split('.')
  const outer = OUTER.get(first)
  return outer === undefined ? walk(event.payload, [first, ...rest]) : walk(outer(event), rest)
}

const OUTER = new Map<string, (event: EventView) => Json | undefined>([
  ['$id', ({ id }) => id],
  ['$event', ({ event }) => event],
  ['$meta', ({ meta }) => meta],
  ['$payload', ({ payload }) => payload],
])

// Own members only: a path of a payload must not reach what every object inherits.
function walk(value: Json | undefined, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>((current, step) => {
    if (typeof current !== 'object' || current === null) return undefined
    if (Array.isArray(current) && !/^\d+$/.test(step)) return undefined
    return Object.hasOwn(current, step) ? (current as JsonObject)[step] : undefined
  }, value)
}

function collect(entries: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(entries)
}

const DEFAULT_TIMEOUT_MS = 60_000

/** Calls the function of a trigger with what a delivery holds; never throws. */
export type RunTrigger = (delivery: Delivery) => Promise<Outcome>

/** Makes the arguments of the function from an event, and the prompt filled with them; refuses what cannot be arguments. */
export function toCallInput(
  trigger: TriggerDef,
  view: EventView,
): { readonly arguments: JsonObject; readonly prompt: string | undefined } {
  const { name, prompt } = trigger
  const args = toArguments(trigger, view)
  if (args === undefined) throw notAnObject(name)
  return {
    arguments: args,
    prompt: prompt === undefined ? undefined : fillPrompt(prompt, args, view),
  }
}

/** Creates what calls the function and the code of a trigger; runs end with their timeout, or when the signal aborts. */
export function createTriggerRun(
  service: Service,
  trigger: TriggerDefinition,
  stopped: AbortSignal,
): RunTrigger {
  const timeoutMs = (trigger.timeout && toMilliseconds(trigger.timeout)) ?? DEFAULT_TIMEOUT_MS
  const work = createWork(service, trigger, timeoutMs)
  const running = new Set<RunEnd>()
  // One listener for all runs: a signal looks through all its listeners whenever one leaves.
  stopped.addEventListener('abort', () => {
    for (const end of running) end.because(toStop())
  })

  return async (delivery) => {
    if (stopped.aborted) return toFailure(toStop(), service)
    const end = createEnd()
    try {
      const outcome = work(delivery, end.signal)
      if (!isPromise(outcome)) return outcome
      running.add(end)
      const timer = setTimeout(() => end.because(toTimeout(timeoutMs)), timeoutMs)
      try {
        return await end.orBefore(outcome, service)
      } finally {
        clearTimeout(timer)
        running.delete(end)
      }
    } catch (thrown) {
      return toFailure(thrown, service)
    }
  }
}

interface RunEnd {
  readonly because: (reason: CallError) => void
  /** Resolves with the outcome, or with the failure that the end means if that comes first. */
  readonly orBefore: (outcome: Promise<Outcome>, service: Service) => Promise<Outcome>
  /** Made when first asked for: it costs more than most runs. */
  readonly signal: () => AbortSignal
}

function createEnd(): RunEnd {
  let controller: AbortController | undefined
  let reason: CallError | undefined
  let onReached: ((reason: CallError) => void) | undefined
  return {
    because(given) {
      reason ??= given
      onReached?.(reason)
      controller?.abort(reason)
    },
    orBefore: (outcome, service) =>
      new Promise((resolve, reject) => {
        onReached = (given) => resolve(toFailure(given, service))
        outcome.then(resolve, reject)
      }),
    signal() {
      controller ??= new AbortController()
      if (reason) controller.abort(reason)
      return controller.signal
    },
  }
}

function toStop(): CallError {
  return new CallError('CANCELLED', { message: 'The process stops' })
}

function toTimeout(timeoutMs: number): CallError {
  return new CallError('DEADLINE_EXCEEDED', {
    message: `The run took longer than ${timeoutMs} ms`,
    details: { deadline: { value: timeoutMs, unit: 'millisecond' } },
  })
}

type Work = (delivery: Delivery, signal: () => AbortSignal) => Maybe<Outcome>

/** Creates the work of one run: the call of the function, then the code of the trigger. */
function createWork(service: Service, trigger: TriggerDefinition, timeoutMs: number): Work {
  const { handler } = trigger
  const toCall = createCalls(service, trigger, timeoutMs)
  const call: Work = (delivery, signal) => service.dispatch(toCall(delivery, signal), 'trigger')
  if (handler === undefined) return call
  const calls = service.registry.find(targetOf(trigger)) !== undefined
  return async (delivery, signal) => {
    const outcome = calls ? await call(delivery, signal) : undefined
    if (outcome?.ok === false) return outcome
    const event = toReceived(trigger, delivery, { signal: signal(), outcome })
    try {
      return { ok: true, result: (await handler(event)) ?? null }
    } catch (thrown) {
      throw toToolCallError(thrown, event.signal)
    }
  }
}

function toReceived(
  trigger: TriggerDefinition,
  delivery: Delivery,
  { signal, outcome }: { readonly signal: AbortSignal; readonly outcome: Success | undefined },
): Parameters<TriggerHandler>[0] {
  const { eventId, event, payload, meta } = delivery
  const view: EventView = { id: eventId, event, payload, meta }
  const { prompt } = trigger
  const filled = prompt && fillPrompt(prompt, toArguments(trigger, view) ?? {}, view)
  const envelope = toEnvelope(delivery, filled)
  return {
    ...envelope,
    meta: outcome ? { ...envelope.meta, result: outcome.result } : envelope.meta,
    payload,
    signal,
  }
}

/** Creates what makes the call of a delivery; what is the same for all is made once. */
function createCalls(
  service: Service,
  trigger: TriggerDefinition,
  timeoutMs: number,
): (delivery: Delivery, signal: () => AbortSignal) => Call {
  const { clock } = service
  const { version } = trigger
  const principal = toPrincipal(trigger)
  const target = targetOf(trigger)
  return (delivery, signal) => {
    const { id, eventId, event, payload, meta } = delivery
    const view: EventView = { id: eventId, event, payload, meta }
    const input = toCallInput(trigger, view)
    return {
      id: `trigger_${id}_${delivery.round}_${delivery.tried}`,
      function: target,
      version,
      arguments: input.arguments,
      context: { trigger: toEnvelope(delivery, input.prompt) },
      extensions: [idempotencyEntry(delivery)],
      principal,
      signal,
      facts: { deadline: clock.now() + timeoutMs },
      startedAt: clock.elapsed(),
      reply: createReply(),
    }
  }
}

function notAnObject(name: string): CallError {
  return new CallError('INVALID_ARGUMENTS', {
    message: `The payload is not an object; give the trigger ${name} a payload_map`,
    source: { pointer: '/call/arguments' },
  })
}

/** Where the function takes it, a delivery that is tried again after its process died runs once all the same. */
function idempotencyEntry({ id, round }: Delivery): ExtensionEntry {
  const key = round === 0 ? id : `${id}.${round}`
  return { urn: extensionUrn('idempotency'), options: { key }, pointer: '', implicit: true }
}

interface Envelope extends JsonObject {
  readonly id: string
  readonly trigger: string
  readonly type: TriggerDef['type']
  readonly received_at: string
  readonly meta: JsonObject
}

/** What a handler finds in `context.trigger`: the envelope of the event without its payload. */
function toEnvelope(delivery: Delivery, prompt: string | undefined): Envelope {
  const { id, eventId, event, trigger, type, tried } = delivery
  // Ours come first and are set again: a spread into new members is fast, new members after a spread are not.
  const meta: Record<string, Json | undefined> = { delivery: id, attempt: tried, ...delivery.meta }
  meta.delivery = id
  meta.attempt = tried
  if (prompt !== undefined) meta.prompt = prompt
  const received_at = new Date(delivery.receivedAt).toISOString()
  return event === undefined
    ? { id: eventId, trigger, type, received_at, meta }
    : { id: eventId, trigger, type, event, received_at, meta }
}
