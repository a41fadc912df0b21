import { randomUUID } from 'node:crypto'
import {
  type Outcome,
  requireFunction,
  type Service,
  toFailure,
  toInvalidArguments,
} from '../core/index.ts'
import type { CallErrorShape } from '../errors/index.ts'
import type { TriggerDef } from '../sources/tool-spec/index.ts'
import type { Json, JsonObject } from '../values/index.ts'
import { targetOf, toPrincipal } from './define-trigger.ts'
import { beginAttempt, toDelivery } from './delivery/delivery.ts'
import { type RunTrigger, toCallInput } from './run-trigger.ts'
import type { TriggerDefinition } from './trigger.ts'

/** How a trigger is tried out. */
export interface TrialOptions {
  /** What the event carries; what a tick carries for a schedule, else nothing, when absent. */
  readonly payload?: Json
  /** Shows what would be called, and calls nothing. */
  readonly dryRun?: boolean
}

/** What a trigger makes of an event that somebody made up, and what came of it. */
export interface TriggerTrial {
  readonly trigger: string
  readonly type: TriggerDef['type']
  readonly tool: string
  /** Absent when the trigger has code and no function. */
  readonly version?: string
  /** Absent when the payload cannot be arguments. */
  readonly arguments?: JsonObject
  readonly prompt?: string
  /** Why the arguments do not fit the function; empty when they do. */
  readonly problems: readonly CallErrorShape[]
  /** Absent when nothing was called. */
  readonly outcome?: Outcome
}

/** What a trial needs. */
export interface TrialContext {
  readonly service: Service
  readonly trigger: TriggerDefinition
  readonly run: RunTrigger
}

/** Tries a trigger out: its function runs at once, a single time, and nothing is kept of it. */
export async function runTrial(
  { service, trigger, run }: TrialContext,
  { payload = trigger.type === 'schedule' ? {} : null, dryRun = false }: TrialOptions,
): Promise<TriggerTrial> {
  const { clock } = service
  const wanted = { function: targetOf(trigger), version: trigger.version }
  const isCode = trigger.handler !== undefined && !service.registry.find(wanted.function)
  const event = { id: `trial_${randomUUID()}`, payload, meta: { trial: true } }
  const delivery = toDelivery(trigger, event, clock.now())
  const { name, type } = trigger
  const outcome = async (): Promise<Outcome> => run(beginAttempt(delivery, clock.now(), event.id))
  if (isCode) {
    const own = { trigger: name, type, tool: wanted.function, problems: [] }
    return dryRun ? own : { ...own, outcome: await outcome() }
  }
  const target = requireFunction(service, { ...wanted, principal: toPrincipal(trigger) })
  const facts = { trigger: name, type, tool: target.name, version: target.version }
  try {
    const { arguments: args, prompt } = toCallInput(trigger, { ...delivery, id: event.id })
    const checked = await target.checkInput(args)
    const problems = checked.ok ? [] : toInvalidArguments(checked.problems).errors
    const runs = checked.ok && !dryRun
    return {
      ...facts,
      arguments: args,
      ...(prompt !== undefined && { prompt }),
      problems,
      ...(runs && { outcome: await outcome() }),
    }
  } catch (thrown) {
    return { ...facts, problems: toFailure(thrown, service).errors }
  }
}
