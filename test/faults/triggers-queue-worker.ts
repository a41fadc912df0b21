import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createService, defineFunction, jsonSchema } from 'waymark'
import { openStore } from '../../src/entries/store.ts'
import { createTriggers } from '../../src/entries/triggers.ts'

/** What a process that receives messages is told on its command line. */
export interface QueueWorkerOptions {
  readonly queueUrl: string
  readonly storeUrl: string
  /** The Redis that effects are counted in. */
  readonly counterUrl: string
  readonly namespace: string
  /** Prefix of the keys that effects are counted under. */
  readonly effects: string
}

const options = JSON.parse(process.argv[2] ?? '{}') as QueueWorkerOptions
const counter = new Redis(options.counterUrl)
const store = await openStore(options.storeUrl, { namespace: options.namespace })

// Effect and key in one step: a run that is repeated because its process died finds the key and does nothing.
const ONCE = `if redis.call('sadd', KEYS[1], ARGV[1]) == 1 then redis.call('rpush', KEYS[2], ARGV[1]) end`

const takeOrder = defineFunction({
  name: 'orders.take',
  version: '1.0.0',
  input: jsonSchema<{ id: string }>({
    type: 'object',
    properties: { id: { type: 'string' } },
    required: ['id'],
  }),
  async handler({ input }) {
    await counter.incr(`${options.effects}:runs`)
    await counter.eval(ONCE, 2, `${options.effects}:keys`, `${options.effects}:list`, input.id)
    // A kill that falls in here comes after the effect and before the acknowledgement.
    await sleep(2)
    return null
  },
})

const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [takeOrder],
})
const triggers = createTriggers({
  service,
  store,
  triggers: [
    {
      type: 'queue',
      name: 'orders',
      description: 'Incoming orders.',
      queue_url: options.queueUrl,
      queue_env: 'QUEUE',
      tool: 'orders.take',
    },
  ],
})
await triggers.start()
process.send?.('ready')
process.once('disconnect', () => process.exit())
