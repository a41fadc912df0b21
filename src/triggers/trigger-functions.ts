import {
  type Call,
  defineFunction,
  EVERYTHING,
  type FunctionDefinition,
  type Outcome,
  type Service,
  viewOf,
} from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { jsonSchema } from '../schema/index.ts'
import type { Json, JsonObject } from '../values/index.ts'
import type { Triggers } from './create-triggers.ts'
import type { Delivery, DeliveryAttempt, DeliveryState } from './delivery/delivery.ts'
import type { ListTriggersOptions, TriggerStatus } from './status.ts'
import type { TriggerTrial } from './trial.ts'

/** Writes a trigger as the functions answer it. */
export function encodeStatus({ next, last, ...status }: TriggerStatus): JsonObject {
  return {
    ...status,
    ...(next && { next: next.map(toTime) }),
    ...(last && {
      last: { id: last.id, state: last.state, received_at: toTime(last.receivedAt) },
    }),
  }
}

/** Writes a delivery as the functions answer it. */
export function encodeDelivery(delivery: Delivery): JsonObject {
  const { id, trigger, type, eventId, event, payload, meta, state, nextAttemptAt } = delivery
  return {
    id,
    trigger,
    type,
    event_id: eventId,
    ...(event !== undefined && { event }),
    state,
    received_at: toTime(delivery.receivedAt),
    tried: delivery.tried,
    redelivered: delivery.round,
    ...(nextAttemptAt !== undefined && { next_attempt_at: toTime(nextAttemptAt) }),
    attempts: delivery.attempts.map(encodeAttempt),
    payload,
    ...(meta && { meta }),
  }
}

/** Writes what came of trying a trigger out as the function answers it. */
export function encodeTrial({ outcome, problems, ...trial }: TriggerTrial): JsonObject {
  return {
    ...trial,
    fits: problems.length === 0,
    problems: problems as unknown as Json,
    ...(outcome && { outcome: encodeOutcome(outcome) }),
  }
}

function encodeOutcome(outcome: Outcome): JsonObject {
  return outcome.ok
    ? { ok: true, result: (outcome.result ?? null) as Json }
    : { ok: false, errors: outcome.errors as unknown as Json }
}

function encodeAttempt({ startedAt, endedAt, outcome, errors }: DeliveryAttempt): JsonObject {
  return {
    started_at: toTime(startedAt),
    ...(endedAt !== undefined && { ended_at: toTime(endedAt) }),
    outcome,
    ...(errors && { errors: errors as unknown as Json }),
  }
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** What decides who may look at deliveries. */
export interface TriggerFunctionOptions {
  readonly service: Service
}

const NAMESPACE = 'urn:waymark:forrst:ext:triggers:fn:'
const MAX_REDELIVERED = 100

/** Lists the functions that show triggers, send deliveries again and try triggers out; discovery does not show them. */
export function triggerFunctions(
  triggers: Triggers,
  options: TriggerFunctionOptions,
): readonly FunctionDefinition[] {
  return [
    listFunction(triggers, options),
    deliveriesFunction(triggers, options),
    redeliverFunction(triggers, options),
    testFunction(triggers, options),
  ]
}

/** Payloads are nobody else's business: whoever is known, or on a machine that only talks to itself, whoever asks. */
function assertOperator({ service }: TriggerFunctionOptions, call: Call): void {
  if (service.authenticate) {
    if (call.principal !== undefined) return
    throw new CallError('FORBIDDEN', {
      message: 'Deliveries are shown to authenticated callers only',
    })
  }
  const reason = call.judgeLocal ? call.judgeLocal() : 'it is not known where the call came from'
  if (reason === undefined) return
  throw new CallError('FORBIDDEN', {
    message: `Deliveries are shown to callers on this machine only, unless the service has an authenticate hook: ${reason}`,
  })
}

/**
 * Gives the triggers whose functions a caller may call, undefined for all of them. What others deliver is the business of
 * those who may call their functions.
 */
async function findOwn(
  triggers: Triggers,
  { service }: TriggerFunctionOptions,
  { principal }: Call,
): Promise<ReadonlySet<string> | undefined> {
  const view = viewOf(service, principal)
  if (view === EVERYTHING) return undefined
  const isOwn = ({ tool }: TriggerStatus) =>
    service.registry.find(tool)?.ordered.every(view.permits) ?? true
  return new Set((await triggers.list({ runs: 1 })).filter(isOwn).map(({ name }) => name))
}

/** Whoever does not see all triggers names one of their own. */
function assertOwn(own: ReadonlySet<string> | undefined, trigger: string | undefined): void {
  if (own === undefined || (trigger !== undefined && own.has(trigger))) return
  throw new CallError('FORBIDDEN', {
    message: 'Name a trigger whose function you may call; for all of them, more scopes are needed',
  })
}

function listFunction(triggers: Triggers, options: TriggerFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: `${NAMESPACE}list`,
    version: '1.0.0',
    summary: 'List the triggers with their state and next runs',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<ListTriggersOptions>({
      type: 'object',
      properties: {
        runs: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          description: 'How many next runs of a schedule are shown; 5 when absent',
        },
      },
      additionalProperties: false,
    }),
    async handler({ input, call }) {
      assertOperator(options, call)
      const own = await findOwn(triggers, options, call)
      const shown = (await triggers.list(input)).filter(({ name }) => own?.has(name) ?? true)
      return { triggers: shown.map(encodeStatus) }
    },
  })
}

interface DeliveriesInput {
  readonly trigger?: string
  readonly state?: DeliveryState
  readonly limit?: number
  readonly cursor?: string
}

function deliveriesFunction(
  triggers: Triggers,
  options: TriggerFunctionOptions,
): FunctionDefinition {
  return defineFunction({
    name: `${NAMESPACE}deliveries`,
    version: '1.0.0',
    summary: 'List deliveries, the newest first',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<DeliveriesInput>({
      type: 'object',
      properties: {
        trigger: { type: 'string', maxLength: 64 },
        state: { enum: ['received', 'running', 'retrying', 'done', 'dead'] },
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        cursor: { type: 'string', maxLength: 4096 },
      },
      additionalProperties: false,
    }),
    async handler({ input, call }) {
      assertOperator(options, call)
      assertOwn(await findOwn(triggers, options, call), input.trigger)
      const { deliveries, cursor } = await triggers.deliveries(input)
      return { deliveries: deliveries.map(encodeDelivery), ...(cursor !== undefined && { cursor }) }
    },
  })
}

interface RedeliverInput {
  readonly id?: string
  readonly trigger?: string
}

function redeliverFunction(
  triggers: Triggers,
  options: TriggerFunctionOptions,
): FunctionDefinition {
  return defineFunction({
    name: `${NAMESPACE}redeliver`,
    version: '1.0.0',
    summary: 'Send a delivery again, or up to 100 dead letters',
    sideEffects: ['update'],
    discoverable: false,
    input: jsonSchema<RedeliverInput>({
      type: 'object',
      properties: {
        id: {
          type: 'string',
          maxLength: 64,
          description: 'One delivery; dead letters when absent',
        },
        trigger: { type: 'string', maxLength: 64, description: 'Dead letters of one trigger only' },
      },
      additionalProperties: false,
    }),
    async handler({ input, call }): Promise<JsonObject> {
      assertOperator(options, call)
      const { id, trigger } = input
      assertOwn(await findOwn(triggers, options, call), id === undefined ? trigger : undefined)
      if (input.id === undefined) return redeliverDead(triggers, input.trigger)
      await triggers.redeliver(input.id)
      return { redelivered: [input.id] }
    },
  })
}

async function redeliverDead(triggers: Triggers, trigger?: string): Promise<JsonObject> {
  const { deliveries, cursor } = await triggers.deliveries({
    state: 'dead',
    limit: MAX_REDELIVERED,
    ...(trigger !== undefined && { trigger }),
  })
  const redelivered: string[] = []
  const refused: JsonObject[] = []
  for (const { id } of deliveries) {
    try {
      await triggers.redeliver(id)
      redelivered.push(id)
    } catch (thrown) {
      if (!(thrown instanceof CallError) || !TAKEN.has(thrown.code)) throw thrown
      // Somebody else was faster; the others still want to be sent.
      refused.push({ id, code: thrown.code, message: thrown.errors[0].message })
    }
  }
  return { redelivered, more: cursor !== undefined, ...(refused.length > 0 && { refused }) }
}

const TAKEN: ReadonlySet<string> = new Set(['CONFLICT', 'NOT_FOUND'])

interface TestInput {
  readonly trigger: string
  readonly payload?: Json
  readonly dry_run?: boolean
}

function testFunction(triggers: Triggers, options: TriggerFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: `${NAMESPACE}test`,
    version: '1.0.0',
    summary: 'Try a trigger out with a payload, once and without a record',
    sideEffects: ['update'],
    discoverable: false,
    input: jsonSchema<TestInput>({
      type: 'object',
      properties: {
        trigger: { type: 'string', maxLength: 64 },
        payload: { description: 'What the event carries' },
        dry_run: { type: 'boolean', description: 'Show what would be called, and call nothing' },
      },
      required: ['trigger'],
      additionalProperties: false,
    }),
    async handler({ input, call }): Promise<JsonObject> {
      assertOperator(options, call)
      assertOwn(await findOwn(triggers, options, call), input.trigger)
      const { trigger, payload, dry_run: dryRun = false } = input
      return encodeTrial(
        await triggers.test(trigger, { dryRun, ...(payload !== undefined && { payload }) }),
      )
    },
  })
}
