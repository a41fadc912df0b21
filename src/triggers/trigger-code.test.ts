import { afterEach, describe, expect, it } from 'vitest'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { ToolError } from '../entries/runtime.ts'
import { createMemoryStore } from '../entries/store.ts'
import {
  createTriggers,
  type ReceivedEvent,
  type TriggerDefinition,
  type Triggers,
} from '../entries/triggers.ts'
import { CallError } from '../errors/error.ts'
import { createService } from '../system/create-service.ts'

const open: Triggers[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((triggers) => triggers.stop(100)))
})

let calls = 0
const ship = defineFunction({
  name: 'orders.ship',
  version: '1.0.0',
  writes: ['create'],
  handler: ({ call }) => {
    calls += 1
    return { shipped: call.arguments ?? null, calls }
  },
})

const refuse = defineFunction({
  name: 'orders.refuse',
  version: '1.0.0',
  handler: () => {
    throw new CallError('CONFLICT')
  },
})

function trigger(more: Partial<TriggerDefinition>): TriggerDefinition {
  const base = { type: 'emit', name: 'paid', description: 'x', event: 'orders.*' }
  return { ...base, ...more } as TriggerDefinition
}

async function start(definition: TriggerDefinition): Promise<Triggers> {
  calls = 0
  const store = createMemoryStore()
  const service = createService({
    info: { title: 'Shop', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [ship, refuse],
    store,
  })
  const triggers = createTriggers({ service, store, triggers: [definition], random: () => 0 })
  open.push(triggers)
  await triggers.start()
  return triggers
}

describe('the code of a trigger', () => {
  it('runs after its function, with the event, the prompt and the result', async () => {
    const events: ReceivedEvent[] = []
    const triggers = await start(
      trigger({
        tool: 'orders.ship',
        payload_map: { id: 'order.id' },
        prompt: 'Ship {{id}}',
        handler: (event) => {
          events.push(event)
          return 'told'
        },
      }),
    )
    expect(await triggers.ask('orders.paid', { order: { id: 'o1' } })).toBe('told')
    expect(events).toEqual([
      {
        id: expect.any(String),
        trigger: 'paid',
        type: 'emit',
        event: 'orders.paid',
        received_at: expect.any(String),
        payload: { order: { id: 'o1' } },
        meta: expect.objectContaining({
          attempt: 1,
          prompt: 'Ship o1',
          result: { shipped: { id: 'o1' }, calls: 1 },
        }),
        signal: expect.any(AbortSignal),
      },
    ])
  })

  it('runs alone where the trigger names no function and none has its name', async () => {
    const triggers = await start(
      trigger({ prompt: 'About {{$event}}', handler: ({ payload, meta }) => ({ payload, meta }) }),
    )
    expect(await triggers.ask('orders.paid', 'plain text')).toMatchObject({
      payload: 'plain text',
      meta: { prompt: 'About orders.paid' },
    })
    expect(calls).toBe(0)
    expect(await triggers.test('paid', { payload: 1 })).toEqual({
      trigger: 'paid',
      type: 'emit',
      tool: 'paid',
      problems: [],
      outcome: { ok: true, result: expect.objectContaining({ payload: 1 }) },
    })
    expect(await triggers.test('paid', { dryRun: true })).not.toHaveProperty('outcome')
  })

  it('is tried again without its function being called again', async () => {
    const results: unknown[] = []
    const triggers = await start(
      trigger({
        tool: 'orders.ship',
        handler: ({ meta }) => {
          results.push(meta['result'])
          if (results.length === 1) throw new CallError('UNAVAILABLE')
        },
      }),
    )
    await triggers.emit('orders.paid', { id: 'o1' })
    await expect.poll(() => results.length, { timeout: 5000 }).toBe(2)
    expect(results).toEqual([
      { shipped: { id: 'o1' }, calls: 1 },
      { shipped: { id: 'o1' }, calls: 1 },
    ])
  })

  it('does not run when its function fails', async () => {
    let runs = 0
    const triggers = await start(
      trigger({
        tool: 'orders.refuse',
        handler: () => {
          runs += 1
        },
      }),
    )
    await expect(triggers.ask('orders.paid', {})).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(runs).toBe(0)
  })

  it('fails the delivery when it fails', async () => {
    const failing = trigger({
      handler: () => {
        throw new CallError('CONFLICT', { message: 'no' })
      },
    })
    const triggers = await start(failing)
    await triggers.emit('orders.paid', {})
    await expect
      .poll(async () => (await triggers.deliveries({ state: 'dead' })).deliveries.length)
      .toBe(1)
  })

  it('fails with what a generated tool says that it calls', async () => {
    const triggers = await start(
      trigger({
        handler: () => {
          throw new ToolError('ship', 'arguments', 'ship: id is missing')
        },
      }),
    )
    await expect(triggers.ask('orders.paid', {})).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: 'ship: id is missing',
    })
  })

  it('ends with the timeout of the trigger', async () => {
    let reason: unknown
    const triggers = await start(
      trigger({
        timeout: { value: 20, unit: 'millisecond' },
        handler: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reason = signal.reason
              reject(signal.reason)
            })
          }),
      }),
    )
    await expect(triggers.ask('orders.paid', {})).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    })
    expect(reason).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })

  it.each([
    [{ handler: 'shell' }, 'trigger paid: handler must be a function'],
    [{ handler: () => 1, tool: 'nobody' }, 'trigger paid: tool names a function that does not'],
  ])('refuses %j at the start', (more, message) => {
    const definition = trigger(more as unknown as Partial<TriggerDefinition>)
    expect(() => createTriggers({ service: serviceOf([ship]), triggers: [definition] })).toThrow(
      message,
    )
  })
})
