import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { jsonSchema } from '../../src/schema/schema.ts'
import type { ServiceOptions } from '../../src/system/create-service.ts'
import { serviceOf } from '../support/service.ts'

const ITEM = {
  type: 'object',
  properties: { sku: { type: 'string' }, name: { type: 'string' } },
  required: ['sku', 'name'],
} as const

const ITEMS = Array.from({ length: 500 }, (_, index) => ({
  sku: `sku-${index}`,
  name: `Article number ${index} with a name of some length`,
}))

/** Functions of a small shop, one of each kind. */
export const shopFunctions: readonly FunctionDefinition[] = [
  defineFunction({
    name: 'shop.find',
    version: '1.0.0',
    summary: 'Find articles',
    description: 'Looks for articles in stock.',
    tags: [{ name: 'catalogue' }],
    readOnly: true,
    input: jsonSchema<{ text?: string; limit?: number }>({
      type: 'object',
      properties: { text: { type: 'string' }, limit: { type: 'integer', minimum: 1 } },
    }),
    output: jsonSchema<{ items: unknown[]; total: number }>({
      type: 'object',
      properties: { items: { type: 'array', items: ITEM }, total: { type: 'integer' } },
      required: ['items', 'total'],
    }),
    handler: ({ input }) => ({ items: ITEMS.slice(0, input.limit ?? 1), total: ITEMS.length }),
  }),
  defineFunction({
    name: 'shop.order',
    version: '1.0.0',
    summary: 'Order articles (old)',
    writes: ['create'],
    handler: () => 'old',
  }),
  defineFunction({
    name: 'shop.order',
    version: '2.0.0',
    summary: 'Order articles',
    tags: [{ name: 'orders' }],
    writes: ['create', 'update'],
    input: jsonSchema<{ sku: string; count?: number }>({
      type: 'object',
      properties: { sku: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
      required: ['sku'],
    }),
    output: jsonSchema<{ id: string }>({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
    }),
    errors: [{ code: 'SHOP_SOLD_OUT', message: 'Sold out' }],
    examples: [
      {
        name: 'one article',
        summary: 'Orders one article',
        params: [{ value: 'sku-1' }, { value: 1 }],
        result: { value: { id: 'order-1' } },
      },
    ],
    dryRun: ({ input }) => ({ wouldAffect: [{ sku: input.sku }] }),
    handler({ input, fail }) {
      if (input.sku === 'none') throw fail('SHOP_SOLD_OUT', { details: { sku: input.sku } })
      return { id: `order of ${input.sku}` }
    },
  }),
  defineFunction({
    name: 'shop.names',
    version: '1.0.0',
    summary: 'All names',
    sideEffects: [],
    output: jsonSchema<string[]>({ type: 'array', items: { type: 'string' } }),
    handler: () => ['one', 'two'],
  }),
  defineFunction({
    name: 'shop.pack',
    version: '1.0.0',
    summary: 'Pack an order, slowly',
    sideEffects: ['update', 'sends_email'],
    async handler({ signal, progress }) {
      progress(0.25, 'packing')
      await once(signal, 'abort')
      throw signal.reason
    },
  }),
  defineFunction({
    name: 'shop.crash',
    version: '1.0.0',
    summary: 'Fails unexpectedly',
    handler() {
      throw new Error('secret text')
    },
  }),
  defineFunction({
    name: 'shop.hidden',
    version: '1.0.0',
    discoverable: false,
    handler: () => 'hidden',
  }),
]

/** A function that is half way at once and done after as many milliseconds as it is told. */
export const slow = defineFunction({
  name: 'shop.slow',
  version: '1.0.0',
  input: { type: 'object', properties: { ms: { type: 'number' } } },
  async handler({ input, progress, signal }) {
    progress(0.5, 'half way')
    await delay(Number(input['ms']), undefined, { signal })
    return { done: true }
  },
})

/** A function that runs until its call is aborted. */
export interface Waiting {
  readonly definition: FunctionDefinition
  /** Resolves when the function runs. */
  readonly begun: Promise<void>
  /** Why its call was aborted; undefined while it was not. */
  readonly reason: () => unknown
}

/** Creates the function shop.wait, which tells when it begins and why it ends. */
export function createWaiting(): Waiting {
  let begin: () => void
  let reason: unknown
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const definition = defineFunction({
    name: 'shop.wait',
    version: '1.0.0',
    async handler({ signal }) {
      const aborted = once(signal, 'abort')
      begin()
      await aborted
      reason = signal.reason
      throw reason
    },
  })
  return { definition, begun, reason: () => reason }
}

/** Creates the shop. */
export function createShop(
  options: Partial<ServiceOptions<readonly FunctionDefinition[]>> = {},
  more: readonly FunctionDefinition[] = [],
): Service {
  return serviceOf([...shopFunctions, ...more], {
    info: { title: 'Shop', version: '3.1.0', description: 'A shop with five hundred articles' },
    ...options,
  })
}
