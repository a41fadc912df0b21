import { setMaxListeners } from 'node:events'
import type { Logger, Service } from '../core/index.ts'
import type { TriggerDef } from '../sources/tool-spec/index.ts'
import { createMemoryStore, type Store, storeKey } from '../store/index.ts'
import { type Clock, systemClock } from '../values/index.ts'
import { createJobQueue, createPresence, type JobQueue, type Presence } from '../work/index.ts'
import { listRefusedArguments } from './define-trigger.ts'
import { createDeliverer, type Deliverer } from './delivery/deliver.ts'
import { isDeliveryOver } from './delivery/delivery.ts'
import { createDeliveryLog, type DeliveryLog, type Retention } from './delivery/log.ts'
import { createEventBus, type EventBus } from './event/bus.ts'
import { startEmit } from './event/emit.ts'
import { startFile } from './file/file.ts'
import { startQueue } from './queue/queue.ts'
import { createTriggerRun, type RunTrigger } from './run-trigger.ts'
import { startSchedule } from './schedule/schedule.ts'
import type { SourceContext, StartSource, TriggerDefinition, TriggerSource } from './trigger.ts'
import { startWebhook } from './webhook/webhook.ts'

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
  readonly presence: Presence
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

/** How long what a process ran that died is left to it. */
const PRESENT_MS = 10_000

/** Puts together what triggers are made of. */
export function createTriggerParts(options: TriggersOptions): TriggerParts {
  const { service, clock = systemClock, log = service.log, random = Math.random } = options
  const store = options.store ?? createMemoryStore()
  const jobs = options.jobs ?? createJobQueue(store, { clock, log })
  const bus = options.bus ?? createEventBus()
  const deliveries = createDeliveryLog(store, service.name, options.retention)
  const presence = createPresence(store, {
    keyOf: (token) => storeKey('trigger', service.name, 'process', token),
    leaseMs: PRESENT_MS,
    clock,
  })
  const stopped = new AbortController()
  // Every trigger listens to it: many listeners are not a leak.
  setMaxListeners(0, stopped.signal)
  const { signal } = stopped
  const shared = { service: service.name, deliveries, jobs, presence, clock, log, random }
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
    presence,
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

/** Starts and stops the sources of triggers. */
export interface TriggerRunner {
  readonly start: (host: string) => Promise<void>
  readonly stop: (graceMs: number) => Promise<void>
  /** The source of a trigger while it is at work. */
  readonly source: (name: string) => TriggerSource | undefined
}

// The queue gets a moment more than the calls it runs: they end when the grace is over, then it hands them back.
const HAND_BACK_MS = 1_000

/** Creates what starts and stops the sources of triggers. */
export function createTriggerRunner(
  parts: TriggerParts,
  definitions: readonly TriggerDef[],
): TriggerRunner {
  const { service, starters, presence, deliverers, clock, log, stopped } = parts
  const running = new Map<string, TriggerSource>()
  let state: 'new' | 'started' | 'stopped' = 'new'

  async function stopSources(signal: AbortSignal): Promise<void> {
    const sources = [...running.values()]
    running.clear()
    await Promise.all(sources.map((source) => source.stop(signal)))
  }

  return {
    source: (name) => running.get(name),
    async start(host) {
      if (state === 'started') throw new TypeError('the triggers are already running')
      if (state === 'stopped') {
        throw new TypeError('the triggers were stopped; create new ones to start again')
      }
      state = 'started'
      for (const warning of listRefusedArguments(definitions, service)) log.warn(warning)
      // A store that is away at the start does not keep triggers from starting.
      await presence.enter().catch(() => undefined)
      try {
        for (const trigger of definitions) {
          const source = await startSource(starters, toContext(parts, trigger, host))
          running.set(trigger.name, source)
        }
      } catch (thrown) {
        await stopSources(AbortSignal.abort())
        await presence.leave()
        state = 'new'
        throw thrown
      }
      for (const deliverer of deliverers.values()) deliverer.work()
    },
    async stop(graceMs) {
      state = 'stopped'
      const until = clock.elapsed() + graceMs
      const timer = setTimeout(() => stopped.abort(), graceMs)
      await stopSources(stopped.signal)
      await parts.closeJobs(Math.max(0, until - clock.elapsed()) + HAND_BACK_MS)
      await Promise.all([...deliverers.values()].map((deliverer) => deliverer.idle()))
      clearTimeout(timer)
      stopped.abort()
      await presence.leave()
      await parts.closeStore()
    },
  }
}

function toContext(parts: TriggerParts, trigger: TriggerDef, host: string): SourceContext {
  const { service, store, clock, log, env, cwd, deliveries, deliverers } = parts
  const deliverer = deliverers.get(trigger.name)
  if (deliverer === undefined) throw new TypeError(`trigger ${trigger.name} is not defined`)
  return {
    trigger,
    service: service.name,
    accept: deliverer.accept,
    settle: deliverer.settle,
    store,
    clock,
    log,
    env,
    cwd,
    host,
    async isOpen(id) {
      const entry = await deliveries.read(id)
      return entry !== undefined && !isDeliveryOver(entry.item)
    },
  }
}
