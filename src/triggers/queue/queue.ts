import type { QueueTrigger } from '../../sources/tool-spec/index.ts'
import type { SourceContext, TriggerSource } from '../trigger.ts'
import { type QueueKind, readQueueAddress } from './address.ts'
import type { LoadPackage, StartQueueDriver } from './driver.ts'

/** How a queue is started. */
export interface StartQueueOptions {
  /** Imports the client of the broker; the usual `import` when absent. */
  readonly load?: LoadPackage
}

// Each is imported when the first queue of its kind starts: a project without queues loads no client.
const DRIVERS: Readonly<Record<QueueKind, () => Promise<StartQueueDriver>>> = {
  rabbitmq: async () => (await import('./rabbitmq.ts')).startRabbitmq,
  redis: async () => (await import('./redis-stream.ts')).startRedisStream,
  sqs: async () => (await import('./sqs.ts')).startSqs,
}

/**
 * Receives messages from RabbitMQ, a Redis stream or SQS, as the scheme of the address says. A message is acknowledged
 * when it is done or stands in the dead-letter list, not before.
 */
export async function startQueue(
  context: SourceContext<QueueTrigger>,
  { load }: StartQueueOptions = {},
): Promise<TriggerSource> {
  const address = readQueueAddress(context.trigger, context.env)
  const start = await DRIVERS[address.kind]()
  const source = await start({ context, address, ...(load && { load }) })
  let stopped: Promise<void> | undefined
  return {
    ...source,
    stop(signal) {
      stopped ??= source.stop(signal)
      return stopped
    },
  }
}
