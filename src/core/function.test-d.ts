import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { jsonSchema } from '../schema/schema.ts'
import type { ArgumentsOf, CodesOf, ItemOf, ResultOf } from './function.ts'
import { defineFunction } from './function.ts'

const create = defineFunction({
  name: 'orders.create',
  version: '1.0.0',
  input: z.object({ id: z.string(), count: z.coerce.number().default(1) }),
  output: z.object({ total: z.number() }),
  errors: [
    { code: 'ORDERS_SOLD_OUT', message: 'Sold out' },
    { $ref: '#/components/errors/NotFound' },
  ],
  handler({ input, fail }) {
    expectTypeOf(input).toEqualTypeOf<{ id: string; count: number }>()
    expectTypeOf(fail).parameter(0).toEqualTypeOf<'ORDERS_SOLD_OUT'>()
    return { total: input.count }
  },
})

describe('types of a function', () => {
  it('follow from its schemas and errors', () => {
    expectTypeOf(create.name).toEqualTypeOf<'orders.create'>()
    expectTypeOf<ArgumentsOf<typeof create>>().toEqualTypeOf<{ id: string; count?: unknown }>()
    expectTypeOf<ResultOf<typeof create>>().toEqualTypeOf<{ total: number }>()
    expectTypeOf<CodesOf<typeof create>>().toEqualTypeOf<'ORDERS_SOLD_OUT'>()
  })

  it('come from jsonSchema<Type>() for plain JSON Schema, and are open without it', () => {
    defineFunction({
      name: 'a.b',
      version: '1.0.0',
      input: jsonSchema<{ id: string }>({ type: 'object' }),
      handler: ({ input }) => expectTypeOf(input).toEqualTypeOf<{ id: string }>(),
    })
    defineFunction({
      name: 'a.b',
      version: '1.0.0',
      input: { type: 'object' },
      handler: ({ input }) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>(),
    })
  })

  it('keep tuples and literals of a handler, with JSON Schema too', () => {
    defineFunction({
      name: 'a.b',
      version: '1.0.0',
      output: jsonSchema<{ at: [number, number]; kind: 'a' | 'b' }>({ type: 'object' }),
      handler: () => ({ at: [1, 2], kind: 'a' }),
    })
  })

  it('refuse a handler that answers something else', () => {
    defineFunction({
      name: 'a.b',
      version: '1.0.0',
      output: z.object({ total: z.number() }),
      // @ts-expect-error total must be a number
      handler: () => ({ total: 'much' }),
    })
  })

  it('say what a function yields, and let only one with an item schema yield', () => {
    const stream = defineFunction({
      name: 'a.b',
      version: '1.0.0',
      output: z.object({ total: z.number() }),
      item: z.object({ row: z.number() }),
      async *handler() {
        yield { row: 1 }
        return { total: 1 }
      },
    })
    expectTypeOf<ItemOf<typeof stream>>().toEqualTypeOf<{ row: number }>()
    expectTypeOf<ResultOf<typeof stream>>().toEqualTypeOf<{ total: number }>()
    expectTypeOf<ItemOf<typeof create>>().toEqualTypeOf<never>()
    defineFunction({
      name: 'a.b',
      version: '1.0.0',
      output: z.number(),
      item: z.object({ row: z.number() }),
      // @ts-expect-error the items are not what the schema says
      async *handler() {
        yield { row: 'one' }
      },
    })
    defineFunction({
      name: 'a.b',
      version: '1.0.0',
      output: z.number(),
      // @ts-expect-error nothing says that it yields
      async *handler() {
        yield 1
      },
    })
  })
})
