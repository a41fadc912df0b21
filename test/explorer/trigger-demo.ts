import { type App, allSurfaces, createApp, createService, defineFunction } from 'waymark'
import { createTriggers, defineTrigger, type Triggers } from 'waymark/triggers'

/** A service whose function is called by an event and by a schedule. */
export interface TriggerDemo {
  readonly app: App
  readonly triggers: Triggers
  /** Lets the function refuse, or not. */
  readonly setOpen: (isOpen: boolean) => void
}

/** Creates it, with its books closed: what is paid now is refused. */
export async function createTriggerDemo(allowExecute = true): Promise<TriggerDemo> {
  let isOpen = false
  const service = createService({
    info: { title: 'Shop', version: '1.0.0' },
    log: { warn() {}, error() {} },
    functions: [
      defineFunction({
        name: 'orders.paid',
        version: '1.0.0',
        input: {
          type: 'object',
          properties: { order: { type: 'string' } },
          required: ['order'],
        },
        errors: [{ code: 'ORDERS_CLOSED', message: 'The books are closed' }],
        handler: ({ input, fail }) => {
          if (!isOpen) throw fail('ORDERS_CLOSED')
          return input
        },
      }),
    ],
  })
  const triggers = createTriggers({
    service,
    triggers: [
      defineTrigger({
        type: 'emit',
        name: 'order_paid',
        description: 'Payments tell that an order is paid',
        event: 'order.paid',
        tool: 'orders.paid',
      }),
      defineTrigger({
        type: 'schedule',
        name: 'nightly',
        description: 'Closes the day',
        cron: '0 3 * * *',
        timezone: 'Europe/Helsinki',
        tool: 'orders.paid',
        payload_map: {},
      }),
    ],
  })
  await triggers.start()
  return {
    app: createApp(service, {
      bind: '127.0.0.1',
      surfaces: allSurfaces({ explorer: { allowExecute } }),
    }),
    triggers,
    setOpen(next) {
      isOpen = next
    },
  }
}
