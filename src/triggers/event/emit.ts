import { CallError } from '../../errors/index.ts'
import type { EmitTrigger } from '../../sources/tool-spec/index.ts'
import type { Settled, SourceContext, TriggerEvent, TriggerSource } from '../trigger.ts'
import { assertEventPattern, type BusEvent, type EventBus } from './bus.ts'

/** What a trigger on events needs besides its context. */
export interface StartEmitOptions {
  readonly bus: EventBus
}

/** Listens to an event of the bus; every process of the service shares the work. */
export async function startEmit(
  context: SourceContext<EmitTrigger>,
  { bus }: StartEmitOptions,
): Promise<TriggerSource> {
  const { trigger, service } = context
  assertEventPattern(trigger.name, trigger.event)
  const listener = await bus.subscribe({
    group: `${service}-${trigger.name}`,
    event: trigger.event,
    keep: (event) => context.accept(toTriggerEvent(event)),
    // Whoever asks hears of a failure and decides: nobody would wait for another attempt.
    answer: async (event) =>
      toAnswer(await context.settle(toTriggerEvent(event), { attempts: 1 }), event),
  })
  return { stop: listener.stop, trouble: listener.trouble }
}

function toTriggerEvent({ id, event, payload }: BusEvent): TriggerEvent {
  return { id, event, payload }
}

function toAnswer(settled: Settled, { event }: BusEvent): unknown {
  if (settled.status === 'done') return settled.result
  if ('errors' in settled) throw CallError.all(settled.errors)
  const repeated = settled.status === 'duplicate'
  throw new CallError(repeated ? 'CONFLICT' : 'UNAVAILABLE', {
    message: repeated
      ? `${event} was already asked under this id`
      : `${event} cannot be stored now`,
    details: { event, delivery: settled.delivery },
  })
}
