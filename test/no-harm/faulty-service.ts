import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction } from 'waymark'

const version = '1.0.0'

/** Functions that leave trouble behind, for a process of its own. */
export default createService({
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
        await sleep(1_500)
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
  ],
})

async function fail(milliseconds: number, text: string): Promise<never> {
  await sleep(milliseconds)
  throw new Error(`rejected ${text}`)
}
