import type { TriggerDef } from '../sources/tool-spec/index.ts'
import { targetOf } from './define-trigger.ts'
import type { Delivery } from './delivery/delivery.ts'
import type { TriggerSource } from './trigger.ts'

/** A trigger as a person looks at it. */
export interface TriggerStatus {
  readonly name: string
  readonly type: TriggerDef['type']
  readonly description: string
  /** The function it calls. */
  readonly tool: string
  /** The path, cron expression, event, queue or files it waits for. */
  readonly where: string
  readonly state: 'running' | 'stopped' | 'trouble'
  /** In words, why it cannot work at the moment. */
  readonly trouble?: string
  /** The next moments at which it fires, in epoch milliseconds; for schedules. */
  readonly next?: readonly number[]
  /** The newest delivery. */
  readonly last?: Delivery
}

/** How triggers are listed. */
export interface ListTriggersOptions {
  /** How many next runs of a schedule are shown; 5 when absent. */
  readonly runs?: number
}

const SHOWN_RUNS = 5

/** Puts together what is known of a trigger. */
export function toStatus(
  definition: TriggerDef,
  source: TriggerSource | undefined,
  last: Delivery | undefined,
  { runs = SHOWN_RUNS }: ListTriggersOptions = {},
): TriggerStatus {
  const { name, type, description } = definition
  const trouble = source?.trouble?.()
  const next = source?.next?.(runs)
  const works = trouble === undefined ? 'running' : 'trouble'
  return {
    name,
    type,
    description,
    tool: targetOf(definition),
    where: formatPlace(definition),
    state: source === undefined ? 'stopped' : works,
    ...(trouble !== undefined && { trouble }),
    ...(next && { next }),
    ...(last && { last }),
  }
}

/** Writes what a trigger waits for, without passwords. */
export function formatPlace(definition: TriggerDef): string {
  switch (definition.type) {
    case 'webhook':
      return `POST ${definition.path}`
    case 'schedule':
      return definition.timezone ? `${definition.cron} ${definition.timezone}` : definition.cron
    case 'emit':
      return definition.event
    case 'queue':
      // Up to the last @: a password may hold one.
      return definition.queue_url.replace(/\/\/[^/]*@/, '//')
    case 'file':
      return definition.watch_path
  }
}
