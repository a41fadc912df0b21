import { expect, it } from 'vitest'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createMemoryStore } from '../entries/store.ts'
import {
  createEventBus,
  createTriggers,
  defineTrigger,
  type Triggers,
} from '../entries/triggers.ts'
import type { Json } from '../values/json.ts'

const PAID = defineTrigger({
  type: 'emit',
  name: 'order_paid',
  description: 'Ships what was paid',
  event: 'orders.paid',
  tool: 'orders.ship',
})

function create(): { readonly triggers: Triggers; readonly seen: Json[] } {
  const seen: Json[] = []
  const service = serviceOf([
    defineFunction({
      name: 'orders.ship',
      version: '1.0.0',
      unknownArguments: 'ignore',
      handler: ({ input }) => {
        seen.push(input as Json)
        return true
      },
    }),
  ])
  return {
    seen,
    triggers: createTriggers({
      service,
      bus: createEventBus(),
      store: createMemoryStore(),
      triggers: [PAID],
    }),
  }
}

it('start once, and not again after their end', async () => {
  const { triggers, seen } = create()
  await triggers.start()
  await expect(triggers.start()).rejects.toThrow('the triggers are already running')
  expect(await triggers.ask('orders.paid', { id: 'o1' })).toBe(true)
  expect(seen).toEqual([{ id: 'o1' }])
  await triggers.stop(100)
  await triggers.stop(100)
  await expect(triggers.start()).rejects.toThrow(
    'the triggers were stopped; create new ones to start again',
  )
})

it('can be started again when a start has failed', async () => {
  const { triggers } = create()
  const service = serviceOf([
    defineFunction({ name: 'orders.ship', version: '1.0.0', handler: () => true }),
  ])
  const env: Record<string, string> = {}
  const hooked = createTriggers({
    service,
    env,
    triggers: [
      defineTrigger({
        type: 'webhook',
        name: 'paid',
        description: 'd',
        path: '/paid',
        secret_env: 'PAID_SECRET',
        tool: 'orders.ship',
      }),
    ],
  })
  await expect(hooked.start()).rejects.toThrow('set the environment variable PAID_SECRET')
  env['PAID_SECRET'] = Buffer.alloc(24, 1).toString('base64')
  await hooked.start()
  await hooked.stop(100)
  await triggers.stop(100)
})

it.each([
  ['a number', 5n],
  [
    'a circle',
    (() => {
      const circle: Record<string, unknown> = {}
      return Object.assign(circle, { circle })
    })(),
  ],
  ['a function', () => 1],
])('refuse an event whose payload is %s that JSON does not have', async (_what, payload) => {
  const { triggers } = create()
  await triggers.start()
  await expect(triggers.emit('orders.paid', payload as never)).rejects.toThrow(
    'the payload of orders.paid must be JSON',
  )
  await expect(triggers.ask('orders.paid', payload as never)).rejects.toThrow(
    'the payload of orders.paid must be JSON',
  )
  await triggers.stop(100)
})

it.each([[''], [5 as never]])('refuse the event id %j', async (id) => {
  const { triggers } = create()
  await triggers.start()
  await expect(triggers.emit('orders.paid', {}, { id })).rejects.toThrow(
    'the id of an event must be a non-empty string',
  )
  await triggers.stop(100)
})
