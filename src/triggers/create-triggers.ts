import { CallError } from '../errors/index.ts'
import type { TriggerDef } from '../sources/tool-spec/index.ts'
import { formatNear, type Json, nearest } from '../values/index.ts'
import type { HttpHandler, HttpResponse } from '../wire/index.ts'
import { checkTriggerDefinitions } from './define-trigger.ts'
import type { DeliveryPage, DeliveryQuery } from './delivery/log.ts'
import type { AskOptions, EmitOptions } from './event/bus.ts'
import { type ListTriggersOptions, type TriggerStatus, toStatus } from './status.ts'
import { runTrial, type TrialOptions, type TriggerTrial } from './trial.ts'
import { triggerFunctions } from './trigger-functions.ts'
import {
  createTriggerParts,
  createTriggerRunner,
  type TriggerRunner,
  type TriggersOptions,
} from './trigger-runner.ts'
import { refuseWebhook } from './webhook/challenge.ts'

/** A path of the server that belongs to a webhook. */
export interface TriggerMount {
  readonly path: string
  readonly match: 'exact'
  readonly handler: HttpHandler
  readonly refuse: (error: CallError) => HttpResponse
}

/** How triggers are started. */
export interface StartTriggersOptions {
  /** The address the server listens on; 127.0.0.1 when absent. */
  readonly host?: string
}

/** The triggers of a service. */
export interface Triggers {
  /** For `serve` and `createApp`; a webhook answers 503 until the triggers are started. */
  readonly mounts: readonly TriggerMount[]
  /** Begins to listen. Rejects with a TypeError when a definition cannot work. */
  start(options?: StartTriggersOptions): Promise<void>
  /** Takes no more, lets what runs finish within the grace (10 s when absent), hands the rest back. */
  stop(graceMs?: number): Promise<void>
  list(options?: ListTriggersOptions): Promise<readonly TriggerStatus[]>
  /** Lists deliveries, the newest first; rejects with NOT_FOUND for a trigger that neither exists nor has any. */
  deliveries(query?: DeliveryQuery): Promise<DeliveryPage>
  /** Sends a delivery again; rejects with NOT_FOUND or CONFLICT. */
  redeliver(id: string): Promise<void>
  /** Tries a trigger out with an event made up here, at once and without a record; rejects with NOT_FOUND. */
  test(name: string, options?: TrialOptions): Promise<TriggerTrial>
  /** Tells every trigger that listens to an event; resolves with the event's id. */
  emit(event: string, payload: Json, options?: EmitOptions): Promise<string>
  /** Has a trigger that listens to an event run now, and answers its result. */
  ask(event: string, payload: Json, options?: AskOptions): Promise<unknown>
}

const DEFAULT_GRACE_MS = 10_000

/**
 * Creates the triggers of a service: what happens outside calls its functions.
 *
 * @example
 * const triggers = createTriggers({ service, store, triggers: [nightlyCleanup, orderPaid] })
 * await serve(service, { triggers })
 */
export function createTriggers(options: TriggersOptions): Triggers {
  const { service, triggers: definitions } = options
  checkTriggerDefinitions(definitions, service)
  const parts = createTriggerParts(options)
  const { bus, deliveries, deliverers } = parts
  const runner = createTriggerRunner(parts, definitions)

  const triggers: Triggers = {
    mounts: definitions.flatMap((definition) =>
      definition.type === 'webhook'
        ? [
            {
              path: definition.path,
              match: 'exact',
              handler: toHandler(definition.name, runner),
              refuse: refuseWebhook,
            },
          ]
        : [],
    ),
    start: ({ host = '127.0.0.1' } = {}) => runner.start(host),
    stop: (graceMs = DEFAULT_GRACE_MS) => runner.stop(graceMs),
    list: (listOptions) =>
      Promise.all(
        definitions.map(async (definition) => {
          const { name } = definition
          const { deliveries: last } = await deliveries.list({ trigger: name, limit: 1 })
          return toStatus(definition, runner.source(name), last[0], listOptions)
        }),
      ),
    async deliveries(query = {}) {
      const page = await deliveries.list(query)
      const { trigger } = query
      // One that was taken out of the service may have deliveries; only a name without any is a mistake.
      const isKnown = trigger === undefined || deliverers.has(trigger)
      if (isKnown || page.deliveries.length > 0) return page
      throw noTrigger(trigger, definitions)
    },
    async redeliver(id) {
      const entry = await deliveries.read(id)
      if (entry === undefined) {
        throw new CallError('NOT_FOUND', { message: `There is no delivery ${id.slice(0, 100)}` })
      }
      const deliverer = deliverers.get(entry.item.trigger)
      if (deliverer === undefined) throw noTrigger(entry.item.trigger, definitions)
      await deliverer.redeliver(entry)
    },
    async test(name, trialOptions = {}) {
      const trigger = definitions.find((definition) => definition.name === name)
      const run = parts.runs.get(name)
      if (trigger === undefined || run === undefined) throw noTrigger(name, definitions)
      return runTrial({ service, trigger, run }, trialOptions)
    },
    emit: (event, payload, emitOptions) => bus.emit(event, payload, emitOptions),
    ask: (event, payload, askOptions) => bus.ask(event, payload, askOptions),
  }
  for (const definition of triggerFunctions(triggers, { service })) {
    service.registry.add(definition, { system: true })
  }
  return triggers
}

function noTrigger(name: string, definitions: readonly TriggerDef[]): CallError {
  const names = definitions.map((definition) => definition.name)
  const near = formatNear(nearest(name, names, { count: 3 }))
  return new CallError('NOT_FOUND', {
    message: `There is no trigger ${name.slice(0, 100)}${near || `; there is ${names.join(', ')}`}`,
    details: { triggers: names },
  })
}

function toHandler(name: string, runner: TriggerRunner): HttpHandler {
  return (request, judgeLocal) => runner.source(name)?.handler?.(request, judgeLocal) ?? NOT_RUNNING
}

const NOT_RUNNING = {
  status: 503,
  headers: { 'content-type': 'application/json', 'retry-after': '5' },
  body: '{"error":"not_running"}',
}
