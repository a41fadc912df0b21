import { afterEach, expect, it, vi } from 'vitest'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { createFailingStore } from '../../../test/support/stores.ts'
import { defineFunction } from '../../core/function.ts'
import { createTriggers, type Triggers } from '../../entries/triggers.ts'
import type { SourceContext } from '../trigger.ts'

let triggers: Triggers | undefined
afterEach(() => triggers?.stop(100))

it.each([
  ['accept', 'accepted'],
  ['settle', 'done'],
] as const)(
  '%s: an event that ran while the store stalls is recorded later, and not run again',
  async (way, status) => {
    const { store, fail } = createFailingStore()
    let runs = 0
    let source: SourceContext | undefined
    const ship = defineFunction({
      name: 'orders.ship',
      version: '1.0.0',
      async handler() {
        runs += 1
        await new Promise((resolve) => setTimeout(resolve, 50))
        fail(true)
        return true
      },
    })
    triggers = createTriggers({
      service: serviceOf([ship]),
      store,
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
    const settled = source?.[way]({ id: 'e1', payload: null })
    await vi.waitFor(() => expect(runs).toBe(1))
    setTimeout(() => fail(false), 2_500)
    expect(await settled).toMatchObject({ status })
    await vi.waitFor(
      async () => expect((await triggers?.deliveries())?.deliveries[0]?.state).toBe('done'),
      { timeout: 8_000, interval: 20 },
    )
    expect(runs).toBe(1)
  },
)
