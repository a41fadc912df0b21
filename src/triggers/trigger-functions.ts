import type { Call } from '../core/call.ts'
import { CallError } from '../core/error.ts'
import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { jsonSchema } from '../core/schema.ts'
import type { Service } from '../core/service.ts'
import type { Triggers } from './create-triggers.ts'
import type { DeliveryState } from './delivery.ts'
import { encodeDelivery, encodeStatus, encodeTrial } from './encode.ts'
import type { ListTriggersOptions } from './status.ts'

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
      message: 'Deliveries are shown to callers who say who they are',
    })
  }
  const reason = call.judgeLocal ? call.judgeLocal() : 'it is not known where the call came from'
  if (reason === undefined) return
  throw new CallError('FORBIDDEN', {
    message: `Deliveries are shown to callers on this machine only, unless the service has an authenticate hook: ${reason}`,
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
      return { triggers: (await triggers.list(input)).map(encodeStatus) }
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
      const { trigger, payload, dry_run: dryRun = false } = input
      return encodeTrial(
        await triggers.test(trigger, { dryRun, ...(payload !== undefined && { payload }) }),
      )
    },
  })
}
