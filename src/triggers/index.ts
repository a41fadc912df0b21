export {
  createTriggers,
  type StartTriggersOptions,
  type TriggerMount,
  type Triggers,
} from './create-triggers.ts'
export { defineTrigger } from './define-trigger.ts'
export type { Delivery, DeliveryAttempt, DeliveryState } from './delivery/delivery.ts'
export type { DeliveryPage, DeliveryQuery, Retention } from './delivery/log.ts'
export {
  type AskOptions,
  type BusEvent,
  type BusListener,
  type BusSubscription,
  createEventBus,
  type EmitOptions,
  type EventBus,
  type EventMap,
} from './event/bus.ts'
export { type OpenEventBusOptions, openEventBus } from './event/open.ts'
export { type QueueKind, readQueueAddress } from './queue/address.ts'
export { listRuns } from './schedule/times.ts'
export type { ListTriggersOptions, TriggerStatus } from './status.ts'
export type { TrialOptions, TriggerTrial } from './trial.ts'
export type {
  Receipt,
  ReceivedEvent,
  Settled,
  SettleOptions,
  SourceContext,
  StartSource,
  TriggerDefinition,
  TriggerEvent,
  TriggerHandler,
  TriggerSource,
} from './trigger.ts'
export { encodeTrial } from './trigger-functions.ts'
export type { SourceStarters, TriggersOptions } from './trigger-runner.ts'
