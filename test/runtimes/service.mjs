// The same small service on every runtime: two kinds of schema, a stream, state in memory, every surface.
import { allSurfaces, createApp, createService, defineFunction } from 'waymark'
import { createMemoryStore } from 'waymark/store'
import { z } from 'zod'

const functions = [
  defineFunction({
    name: 'orders.ping',
    version: '1.0.0',
    sideEffects: [],
    handler: () => ({ ok: true }),
  }),
  defineFunction({
    name: 'orders.create',
    version: '1.0.0',
    sideEffects: ['create'],
    input: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', pattern: '^(\\w+-?)*$' } },
    },
    handler: ({ input }) => ({ id: input.id, at: globalThis.performance.now() }),
  }),
  defineFunction({
    name: 'orders.price',
    version: '1.0.0',
    sideEffects: [],
    input: z.object({ count: z.int().min(1) }),
    output: z.object({ total: z.number() }),
    handler: ({ input }) => ({ total: input.count * 2 }),
  }),
  defineFunction({
    name: 'orders.watch',
    version: '1.0.0',
    sideEffects: [],
    item: z.object({ n: z.int() }),
    async *handler() {
      yield { n: 1 }
      yield { n: 2 }
    },
  }),
]

/** Made where a module is evaluated: some runtimes allow neither timers nor chance there. */
export const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions,
  store: createMemoryStore(),
  log: { warn() {}, error() {} },
})

export const app = createApp(service, { surfaces: allSurfaces() })
