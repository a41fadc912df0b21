import type { TriggerDef } from '../spec/types.ts'
import type { EventBus } from './bus.ts'
import { startEmit } from './emit.ts'
import { startFile } from './file.ts'
import { startQueue } from './queue.ts'
import { startSchedule } from './schedule.ts'
import type { SourceContext, StartSource, TriggerSource } from './trigger.ts'
import { startWebhook } from './webhook.ts'

/** How each kind of trigger is started; a host may bring its own. */
export type SourceStarters = {
  readonly [Type in TriggerDef['type']]: StartSource<Extract<TriggerDef, { readonly type: Type }>>
}

/** Lists how each kind of trigger is started. */
export function createSourceStarters(bus: EventBus): SourceStarters {
  return {
    webhook: (context) => startWebhook(context),
    schedule: startSchedule,
    emit: (context) => startEmit(context, { bus }),
    queue: (context) => startQueue(context),
    file: (context) => startFile(context),
  }
}

/** Starts the source of a trigger, whichever kind it is. */
export async function startSource(
  starters: SourceStarters,
  context: SourceContext,
): Promise<TriggerSource> {
  const start = starters[context.trigger.type] as StartSource<TriggerDef>
  return start(context)
}
