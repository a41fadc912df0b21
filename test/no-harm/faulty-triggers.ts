import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction } from 'waymark'
import type { EventBus } from 'waymark/triggers'

const version = '1.0.0'

const leaves = (name: string) =>
  defineFunction({
    name,
    version,
    handler() {
      void sleep(20).then(() => Promise.reject(new Error(`left by ${name}`)))
      return 'left'
    },
  })

/** Functions that triggers run and that leave a rejected promise behind, for a process of its own. */
export default ({ events }: { readonly events: EventBus }) =>
  createService({
    info: { title: 'Trouble', version },
    functions: [
      leaves('tests.by_webhook'),
      leaves('tests.by_event'),
      defineFunction({ name: 'tests.fine', version, handler: () => 'fine' }),
      defineFunction({
        name: 'tests.emits',
        version,
        async handler() {
          await events.emit('trouble.made', {})
          return 'emitted'
        },
      }),
    ],
  })

const description = 'Makes trouble'

/** One trigger for each kind that needs no server. */
export const triggers = [
  {
    type: 'webhook',
    name: 'told',
    description,
    path: '/webhooks/told',
    tool: 'tests.by_webhook',
    wait: true,
  },
  { type: 'emit', name: 'heard', description, event: 'trouble.made', tool: 'tests.by_event' },
]
