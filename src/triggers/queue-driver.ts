import type { QueueTrigger } from '../spec/types.ts'
import type { QueueAddress } from './queue-address.ts'
import type { SourceContext, TriggerSource } from './trigger.ts'

/** Imports a package by name; tests hand in their own. */
export type LoadPackage = (name: string) => Promise<unknown>

/** What one kind of broker needs to begin. */
export interface QueueDriverOptions {
  readonly context: SourceContext<QueueTrigger>
  readonly address: QueueAddress
  readonly load?: LoadPackage
}

/** Receives from one kind of broker. Rejects when its client is not installed; a broker that is away is waited for. */
export type StartQueueDriver = (options: QueueDriverOptions) => Promise<TriggerSource>
