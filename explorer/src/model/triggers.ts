import { isRecord } from '../../../src/values/json.ts'
import { type Forrst, FUNCTIONS, requireResult } from './forrst.ts'

/** Something outside that calls a function. */
export interface Trigger {
  readonly name: string
  readonly type: string
  readonly description: string
  readonly tool: string
  readonly where: string
  readonly state: string
  readonly trouble: string | undefined
  /** The next moments at which it fires. */
  readonly next: readonly string[]
}

/** An event on its way to its function. */
export interface Delivery {
  readonly id: string
  readonly trigger: string
  readonly state: string
  readonly receivedAt: string
  readonly tried: number
  /** What the last failed attempt said. */
  readonly error: string | undefined
  readonly payload: unknown
}

const SHOWN = 50

/** Asks for the triggers of the service. */
export async function readTriggers(forrst: Forrst): Promise<readonly Trigger[]> {
  const { triggers } = requireResult(await forrst.call({ function: FUNCTIONS.triggers }))
  return recordsOf(triggers).map((entry) => ({
    name: textOf(entry['name']),
    type: textOf(entry['type']),
    description: textOf(entry['description']),
    tool: textOf(entry['tool']),
    where: textOf(entry['where']),
    state: textOf(entry['state']),
    trouble: typeof entry['trouble'] === 'string' ? entry['trouble'] : undefined,
    next: Array.isArray(entry['next']) ? entry['next'].map(textOf) : [],
  }))
}

/** Asks for the newest deliveries, of one trigger or in one state if wanted. */
export async function readDeliveries(
  forrst: Forrst,
  wanted: { readonly trigger: string; readonly state: string },
): Promise<readonly Delivery[]> {
  const answer = await forrst.call({
    function: FUNCTIONS.deliveries,
    arguments: {
      limit: SHOWN,
      ...(wanted.trigger !== '' && { trigger: wanted.trigger }),
      ...(wanted.state !== '' && { state: wanted.state }),
    },
  })
  return recordsOf(requireResult(answer)['deliveries']).map((entry) => ({
    id: textOf(entry['id']),
    trigger: textOf(entry['trigger']),
    state: textOf(entry['state']),
    receivedAt: textOf(entry['received_at']),
    tried: typeof entry['tried'] === 'number' ? entry['tried'] : 0,
    error: lastError(entry['attempts']),
    payload: entry['payload'],
  }))
}

/** Has a delivery run again. */
export async function redeliver(forrst: Forrst, id: string): Promise<void> {
  requireResult(await forrst.call({ function: FUNCTIONS.redeliver, arguments: { id } }))
}

function lastError(attempts: unknown): string | undefined {
  const errors = recordsOf(attempts).findLast(({ errors }) => Array.isArray(errors))?.['errors']
  const [first] = recordsOf(errors)
  return first && `${textOf(first['code'])}: ${textOf(first['message'])}`
}

function recordsOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
