export {
  type AskOptions,
  createEventBus,
  type EmitOptions,
  type EventBus,
  type EventMap,
} from './bus.ts'
export {
  createTriggers,
  type StartTriggersOptions,
  type TriggerMount,
  type Triggers,
} from './create-triggers.ts'
export { defineTrigger } from './define-trigger.ts'
export type { Delivery, DeliveryAttempt, DeliveryState } from './delivery.ts'
export type { DeliveryPage, DeliveryQuery, Retention } from './delivery-log.ts'
export { type OpenEventBusOptions, openEventBus } from './open-bus.ts'
export { listRuns } from './schedule-times.ts'
export type { SourceStarters } from './sources.ts'
export type { TriggerStatus } from './status.ts'
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
export type { TriggersOptions } from './trigger-parts.ts'
