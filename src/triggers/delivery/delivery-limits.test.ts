import { afterEach, expect, it } from 'vitest'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { createTriggers, type Triggers } from '../../entries/triggers.ts'
import type { SourceContext, TriggerEvent } from '../trigger.ts'

let triggers: Triggers | undefined
afterEach(() => triggers?.stop(100))

async function settle(event: TriggerEvent) {
  let runs = 0
  let source: SourceContext | undefined
  const run = defineFunction({
    name: 'orders.ship',
    version: '1.0.0',
    handler: () => {
      runs += 1
      return true
    },
  })
  triggers = createTriggers({
    service: serviceOf([run]),
    log: createTestLogger(),
    triggers: [{ type: 'emit', name: 'paid', description: 'd', event: 'x', tool: 'orders.ship' }],
    start: {
      emit(context) {
        source = context
        return { stop: async () => {} }
      },
    },
  })
  await triggers.start()
  const settled = await source?.settle(event)
  const { deliveries } = await triggers.deliveries({ state: 'dead' })
  return { status: settled?.status, runs, dead: deliveries[0] }
}

it.each([
  ['a long tail of facts', { meta: { headers: '\u0001'.repeat(200_000) } }],
  ['a payload and facts', { payload: 'x'.repeat(600_000), meta: { h: 'y'.repeat(500_000) } }],
  ['a body its source did not take', { refused: 'The message has 9 bytes; max_bytes allows 5' }],
])('an event with %s is dead from the start, and stands in the list', async (_what, part) => {
  const { status, runs, dead } = await settle({ id: 'e1', payload: null, ...part })
  expect([status, runs]).toEqual(['dead', 0])
  expect(dead).toMatchObject({ eventId: 'e1', payload: null, attempts: [{ outcome: 'failed' }] })
  expect(dead?.attempts[0]?.errors?.[0]?.code).toBe('INVALID_REQUEST')
  await expect(triggers?.redeliver(dead?.id ?? '')).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `Delivery ${dead?.id} cannot be sent again: its payload was not stored`,
  })
})

it('a long id and a long name are cut where they are shown, and tell copies all the same', async () => {
  const id = 'x'.repeat(900_000)
  const { status, runs } = await settle({ id, event: 'y'.repeat(900_000), payload: {} })
  expect([status, runs]).toEqual(['done', 1])
  const [delivery] = (await triggers?.deliveries())?.deliveries ?? []
  expect([delivery?.eventId.length, delivery?.event?.length]).toEqual([1000, 200])
})
