import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction } from 'waymark'
import type { EventBus } from 'waymark/triggers'

const version = '1.0.0'

const leaves = (name: string) =>
  defineFunction({
    name,
    version,
    handler() {
      void fail(20, `by ${name}`)
      return 'left'
    },
  })

/** Functions that leave trouble behind, for a process of its own. */
export default ({ events }: { readonly events: EventBus }) =>
  createService({
    info: { title: 'Trouble', version },
    middleware: [
      ({ target, next }) => {
        if (target.name === 'tests.in_middleware') void fail(1, 'in middleware')
        return next()
      },
    ],
    functions: [
      defineFunction({ name: 'tests.fine', version, handler: () => 'fine' }),
      defineFunction({ name: 'tests.in_middleware', version, handler: () => 'left' }),
      defineFunction({
        name: 'tests.slow',
        version,
        async handler() {
          await sleep(700)
          return 'slow'
        },
      }),
      defineFunction({
        name: 'tests.rejects',
        version,
        handler() {
          void fail(0, 'at once')
          return 'left'
        },
      }),
      defineFunction({
        name: 'tests.rejects_later',
        version,
        async handler() {
          void fail(50, 'later')
          return 'left'
        },
      }),
      defineFunction({
        name: 'tests.rejects_oddly',
        version,
        handler() {
          void Promise.reject(Object.create(null))
          return 'left'
        },
      }),
      defineFunction({
        name: 'tests.streams',
        version,
        item: { type: 'string' },
        async *handler() {
          try {
            for (let count = 0; count < 100; count += 1) {
              yield 'item'
              await sleep(20)
            }
          } finally {
            void fail(0, 'after the reader left')
          }
        },
      }),
      defineFunction({
        name: 'tests.throws_in_timer',
        version,
        handler() {
          setTimeout(() => {
            throw new Error('thrown in a timer')
          }, 1)
          return 'left'
        },
      }),
      leaves('tests.by_webhook'),
      leaves('tests.by_event'),
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

async function fail(milliseconds: number, text: string): Promise<never> {
  await sleep(milliseconds)
  throw new Error(`rejected ${text}`)
}
