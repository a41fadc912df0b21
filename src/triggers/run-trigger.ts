import { type Call, createReply, type ExtensionEntry, type Outcome } from '../core/call.ts'
import { toMilliseconds } from '../core/duration.ts'
import { CallError } from '../core/error.ts'
import { toFailure } from '../core/invoke.ts'
import type { JsonObject } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import type { TriggerDef } from '../spec/types.ts'
import { targetOf } from './define-trigger.ts'
import type { Delivery } from './delivery.ts'
import { type EventView, fillPrompt, toArguments } from './map-payload.ts'

const DEFAULT_TIMEOUT_MS = 60_000

/** Calls the function of a trigger with what a delivery holds; never throws. */
export async function runTrigger(
  service: Service,
  trigger: TriggerDef,
  delivery: Delivery,
  stopped: AbortSignal,
): Promise<Outcome> {
  const timeoutMs = (trigger.timeout && toMilliseconds(trigger.timeout)) ?? DEFAULT_TIMEOUT_MS
  const end = createEnd()
  const stop = () => end.because(new CallError('CANCELLED', { message: 'The process stops' }))
  const timer = setTimeout(() => end.because(toTimeout(timeoutMs)), timeoutMs)
  if (stopped.aborted) stop()
  stopped.addEventListener('abort', stop)
  try {
    const call = toCall(service, trigger, delivery, end.signal, timeoutMs)
    const ended = end.reached.then((reason) => toFailure(reason, service))
    return await Promise.race([service.dispatch(call), ended])
  } catch (thrown) {
    return toFailure(thrown, service)
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
  }
}

interface RunEnd {
  readonly because: (reason: CallError) => void
  readonly reached: Promise<CallError>
  /** Made when first asked for: it costs more than most runs. */
  readonly signal: () => AbortSignal
}

function createEnd(): RunEnd {
  let controller: AbortController | undefined
  let reason: CallError | undefined
  let reach: (reason: CallError) => void = () => {}
  const reached = new Promise<CallError>((resolve) => {
    reach = resolve
  })
  return {
    reached,
    because(given) {
      reason ??= given
      reach(reason)
      controller?.abort(reason)
    },
    signal() {
      controller ??= new AbortController()
      if (reason) controller.abort(reason)
      return controller.signal
    },
  }
}

function toTimeout(timeoutMs: number): CallError {
  return new CallError('DEADLINE_EXCEEDED', {
    message: `The run took longer than ${timeoutMs} ms`,
    details: { deadline: { value: timeoutMs, unit: 'millisecond' } },
  })
}

function toCall(
  service: Service,
  trigger: TriggerDef,
  delivery: Delivery,
  signal: () => AbortSignal,
  timeoutMs: number,
): Call {
  const view: EventView = { ...delivery, id: delivery.eventId }
  const args = toArguments(trigger, view)
  if (args === undefined) {
    throw new CallError('INVALID_ARGUMENTS', {
      message: `The payload is not an object; give the trigger ${trigger.name} a payload_map`,
      source: { pointer: '/call/arguments' },
    })
  }
  return {
    id: `trigger_${delivery.id}_${delivery.round}_${delivery.tried}`,
    function: targetOf(trigger),
    version: trigger.version,
    arguments: args,
    context: { trigger: toEnvelope(trigger, delivery, fillFor(trigger, args, view)) },
    extensions: [idempotencyEntry(delivery)],
    principal: { id: `trigger:${trigger.name}` },
    signal,
    facts: { deadline: service.clock.now() + timeoutMs },
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
}

/** Where the function takes it, a delivery that is tried again after its process died runs once all the same. */
function idempotencyEntry({ id, round }: Delivery): ExtensionEntry {
  const key = round === 0 ? id : `${id}.${round}`
  return { urn: 'urn:forrst:ext:idempotency', options: { key }, pointer: '', implicit: true }
}

function fillFor({ prompt }: TriggerDef, args: JsonObject, view: EventView): string | undefined {
  return prompt === undefined ? undefined : fillPrompt(prompt, args, view)
}

/** What a handler finds in `context.trigger`: the envelope of the event without its payload. */
function toEnvelope(
  trigger: TriggerDef,
  delivery: Delivery,
  prompt: string | undefined,
): JsonObject {
  return {
    id: delivery.eventId,
    trigger: trigger.name,
    type: trigger.type,
    ...(delivery.event !== undefined && { event: delivery.event }),
    received_at: new Date(delivery.receivedAt).toISOString(),
    meta: {
      ...delivery.meta,
      delivery: delivery.id,
      attempt: delivery.tried,
      ...(prompt !== undefined && { prompt }),
    },
  }
}
