import { setMaxListeners } from 'node:events'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Logger, Service } from '../core/service.ts'
import { createJobQueue } from '../jobs/open.ts'
import type { JobQueue } from '../jobs/queue.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { createEventBus, type EventBus } from './bus.ts'
import { createDeliverer, type Deliverer } from './deliver.ts'
import { createDeliveryLog, type DeliveryLog, type Retention } from './delivery-log.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { createTriggerRun, type RunTrigger } from './run-trigger.ts'
import { createSourceStarters, type SourceStarters } from './sources.ts'
import type { TriggerDefinition } from './trigger.ts'

/** What triggers need. */
export interface TriggersOptions {
  readonly service: Service
  readonly triggers: readonly TriggerDefinition[]
  /** Where deliveries are kept; memory when absent, which forgets them when the process ends. */
  readonly store?: Store
  /** Runs what was accepted; a queue on the store when absent. Its owner closes it. */
  readonly jobs?: JobQueue
  /** Carries events; within this process when absent. Its owner closes it. */
  readonly bus?: EventBus
  /** Variables with secrets and addresses; those of the process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Folder that relative paths count from; that of the process when absent. */
  readonly cwd?: string
  readonly retention?: Retention
  readonly log?: Logger
  readonly clock?: Clock
  /** Spreads retries; `Math.random` when absent. */
  readonly random?: () => number
  /** Replaces how kinds of triggers are started. */
  readonly start?: Partial<SourceStarters>
}

/** What triggers are made of, with everything said that may be left out. */
export interface TriggerParts {
  readonly service: Service
  readonly store: Store
  readonly jobs: JobQueue
  readonly bus: EventBus
  readonly deliveries: DeliveryLog
  /** By the name of their trigger. */
  readonly deliverers: ReadonlyMap<string, Deliverer>
  /** What calls their functions, by the name of their trigger. */
  readonly runs: ReadonlyMap<string, RunTrigger>
  readonly liveness: Liveness
  readonly starters: SourceStarters
  readonly clock: Clock
  readonly log: Logger
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborts when running calls must come to an end. */
  readonly stopped: AbortController
  /** Closes what was made here and not handed in. */
  readonly closeJobs: (graceMs: number) => Promise<void>
  readonly closeStore: () => Promise<void>
}

/** Puts together what triggers are made of. */
export function createTriggerParts(options: TriggersOptions): TriggerParts {
  const { service, clock = systemClock, log = service.log, random = Math.random } = options
  const store = options.store ?? createMemoryStore()
  const jobs = options.jobs ?? createJobQueue(store, { clock, log })
  const bus = options.bus ?? createEventBus()
  const deliveries = createDeliveryLog(store, service.name, options.retention)
  const liveness = createLiveness(store, service.name)
  const stopped = new AbortController()
  // Every trigger listens to it: many are no leak.
  setMaxListeners(0, stopped.signal)
  const { signal } = stopped
  const shared = { service: service.name, deliveries, jobs, liveness, clock, log, random }
  const made = options.triggers.map((trigger) => {
    const run = createTriggerRun(service, trigger, signal)
    return {
      trigger,
      run,
      deliverer: createDeliverer({ ...shared, trigger, run, stopped: signal }),
    }
  })
  return {
    service,
    store,
    jobs,
    bus,
    deliveries,
    deliverers: new Map(made.map(({ trigger, deliverer }) => [trigger.name, deliverer])),
    runs: new Map(made.map(({ trigger, run }) => [trigger.name, run])),
    liveness,
    starters: { ...createSourceStarters(bus), ...options.start },
    clock,
    log,
    env: options.env ?? process.env,
    cwd: options.cwd ?? process.cwd(),
    stopped,
    closeJobs: async (graceMs) => {
      if (!options.jobs) await jobs.close(graceMs)
    },
    closeStore: async () => {
      if (!options.store) await store.close()
    },
  }
}
