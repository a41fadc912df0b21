import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { createMemoryStore } from '../../entries/store.ts'
import {
  createEventBus,
  createTriggers,
  defineTrigger,
  type Triggers,
} from '../../entries/triggers.ts'
import { CallError } from '../../errors/error.ts'
import { jsonSchema } from '../../schema/schema.ts'
import { statefulExtensions } from '../../system/stateful-extensions.ts'
import type { Json } from '../../values/json.ts'

const open: Triggers[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((triggers) => triggers.stop(100)))
})

/** Orders that announce themselves, and two functions that listen. */
async function openShop(
  fails: () => boolean = () => false,
  hold: Promise<void> = Promise.resolve(),
) {
  const events = createEventBus<{ 'orders.created': { id: string } }>()
  const done: { readonly name: string; readonly input: Json; readonly prompt?: unknown }[] = []
  const work = (name: string) =>
    defineFunction({
      name,
      version: '1.0.0',
      input: jsonSchema<{ id: string }>({ type: 'object', additionalProperties: true }),
      async handler({ input, context }) {
        await hold
        if (fails()) throw new CallError('UNAVAILABLE', { message: 'closed' })
        const { meta } = context['trigger'] as { meta: { prompt?: unknown } }
        done.push({ name, input, ...(meta.prompt !== undefined && { prompt: meta.prompt }) })
        return { by: name, id: input.id }
      },
    })
  const store = createMemoryStore()
  const service = serviceOf(
    [
      defineFunction({
        name: 'orders.create',
        version: '1.0.0',
        input: jsonSchema<{ id: string }>({ type: 'object', additionalProperties: true }),
        handler: async ({ input: { id } }) => {
          await events.emit('orders.created', { id }, { id: `created-${id}` })
          return { id }
        },
      }),
      work('stock.reserve'),
      work('mail.send'),
    ],
    { extensions: statefulExtensions({ store }) },
  )
  const common = { type: 'emit', description: 'x' } as const
  const triggers = createTriggers({
    service,
    store,
    bus: events,
    log: createTestLogger(),
    triggers: [
      defineTrigger({ ...common, name: 'reserve', event: 'orders.created', tool: 'stock.reserve' }),
      defineTrigger({
        ...common,
        name: 'tell',
        event: 'orders.*',
        tool: 'mail.send',
        prompt: 'Tell them about {{id}}',
      }),
    ],
  })
  open.push(triggers)
  await triggers.start()
  return { triggers, service, done, events }
}

const soon = (check: () => void | Promise<void>) =>
  vi.waitFor(check, { timeout: 10_000, interval: 20 })

describe('emit', () => {
  it('[TS-68] fires the triggers that match without waiting for them', async () => {
    let open = () => {}
    const hold = new Promise<void>((resolve) => {
      open = resolve
    })
    const { triggers, done } = await openShop(undefined, hold)
    const id = await triggers.emit('orders.created', { id: 'o1' })
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(done).toEqual([])
    open()
    await soon(() => expect(done).toHaveLength(2))
    expect(done).toContainEqual({ name: 'stock.reserve', input: { id: 'o1' } })
    expect(done).toContainEqual({
      name: 'mail.send',
      input: { id: 'o1' },
      prompt: 'Tell them about o1',
    })
    await triggers.emit('orders.paid', { id: 'o2' })
    await soon(() => expect(done).toHaveLength(3))
    expect(done[2]).toMatchObject({ name: 'mail.send', input: { id: 'o2' } })
  })

  it('works from a handler; under one id it fires once however often it is emitted', async () => {
    const { triggers, done, events } = await openShop()
    await Promise.all(
      Array.from({ length: 4 }, () => events.emit('orders.created', { id: 'o1' }, { id: 'e1' })),
    )
    await soon(() => expect(done).toHaveLength(2))
    await soon(async () => {
      const { deliveries } = await triggers.deliveries()
      expect(deliveries.map(({ state }) => state)).toEqual(['done', 'done'])
    })
    expect(done).toHaveLength(2)
  })

  it('resolves although nobody listens', async () => {
    const { triggers } = await openShop()
    await expect(triggers.emit('weather.changed', null)).resolves.toBeTypeOf('string')
  })
})

describe('ask', () => {
  it('[TS-69] waits for the outcome of the trigger that listens', async () => {
    const { triggers, done } = await openShop()
    expect(await triggers.ask('orders.created', { id: 'o1' })).toEqual({
      by: 'stock.reserve',
      id: 'o1',
    })
    expect(done).toHaveLength(1)
  })

  it('rejects with what the function failed with, and leaves a dead letter', async () => {
    const { triggers } = await openShop(() => true)
    await expect(triggers.ask('orders.created', { id: 'o1' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'closed',
    })
    const { deliveries } = await triggers.deliveries({ state: 'dead' })
    expect(deliveries.map(({ trigger, tried }) => [trigger, tried])).toEqual([['reserve', 1]])
  })

  it('rejects when nobody listens', async () => {
    const { triggers } = await openShop()
    await expect(triggers.ask('weather.changed', null)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
