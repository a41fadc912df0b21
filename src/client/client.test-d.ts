import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { defineFunction } from '../core/function.ts'
import { type Client, type ClientCode, createClient } from '../entries/client.ts'
import type { Code } from '../errors/codes.ts'
import { jsonSchema } from '../schema/schema.ts'
import { createService } from '../system/create-service.ts'
import type { JsonObject } from '../values/index.ts'

const createOrder = defineFunction({
  name: 'orders.create',
  version: '2.0.0',
  input: z.object({ customer_id: z.string(), note: z.string().default('') }),
  output: z.object({ id: z.string(), total: z.number() }),
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Sold out' }],
  handler: () => ({ id: 'o_1', total: 1 }),
})

const search = defineFunction({
  name: 'orders.search',
  version: '1.0.0',
  readOnly: true,
  output: z.array(
    z.object({ id: z.string(), status: z.enum(['open', 'paid']), total: z.number() }),
  ),
  query: {
    filters: { allowed: ['status', 'total'], operators: ['equals', 'greater_than', 'in'] },
    sorts: { allowed: ['total'] },
    fields: { allowed: ['status', 'total'] },
    relationships: { allowed: ['customer'] },
    pagination: { strategies: ['cursor'] },
  },
  resources: () => ({ data: [{ type: 'order', id: 'o_1', attributes: { total: 1 } }] }),
  handler: () => [{ id: 'o_1', status: 'open', total: 1 }],
})

const reserve = defineFunction({
  name: 'orders.reserve',
  version: '1.0.0',
  accepts: { excluded: ['urn:forrst:ext:async'] },
  errors: [
    { code: 'ORDERS_SOLD_OUT', message: 'Sold out', data: z.object({ left: z.number() }) },
    { code: 'NOT_FOUND', message: 'No such order', data: jsonSchema<{ id: string }>({}) },
    { code: 'ORDERS_CLOSED', message: 'Closed', data: { type: 'object' } },
  ],
  handler({ fail }) {
    if (Math.random() > 0.5) throw fail('ORDERS_SOLD_OUT', { details: { left: 1 } })
    if (Math.random() > 0.5) throw fail('ORDERS_CLOSED')
    // @ts-expect-error the details that the error promises are missing
    fail('ORDERS_SOLD_OUT')
    // @ts-expect-error details of another type
    fail('ORDERS_SOLD_OUT', { details: { left: 'one' } })
    // @ts-expect-error a code that is not declared
    fail('ORDERS_LOST')
    throw fail('NOT_FOUND', { details: { id: 'o_1' } })
  },
})

const createOrderOld = defineFunction({
  name: 'orders.create',
  version: '1.0.0',
  input: z.object({ customer: z.string() }),
  output: z.object({ id: z.string() }),
  handler: () => ({ id: 'o_1' }),
})

const listOrders = defineFunction({
  name: 'orders.list',
  version: '1.0.0',
  input: z.object({ status: z.enum(['open', 'closed']).optional() }),
  output: jsonSchema<{ ids: string[] }>({ type: 'object' }),
  handler: () => ({ ids: [] }),
})

const touch = defineFunction({ name: 'orders.touch', version: '1.0.0', handler: () => ({}) })

const exportOrders = defineFunction({
  name: 'orders.export',
  version: '1.0.0',
  item: z.object({ id: z.string() }),
  output: z.object({ count: z.number() }),
  async *handler() {
    yield { id: 'o_1' }
    return { count: 1 }
  },
})

const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [createOrder, listOrders, touch, exportOrders, search, reserve],
})

const client = createClient<typeof service>({ url: 'http://127.0.0.1:4000/forrst', name: 'test' })

export async function typedFromTheService(): Promise<void> {
  const outcome = await client.call('orders.create', { customer_id: 'c_42' }, { version: '2.0.0' })
  if (outcome.ok) {
    expectTypeOf(outcome.result).toEqualTypeOf<{ id: string; total: number }>()
  } else {
    expectTypeOf(outcome.error.code).toEqualTypeOf<'ORDERS_SOLD_OUT' | Code | ClientCode>()
    // @ts-expect-error a code that neither the function nor the protocol knows
    if (outcome.error.code === 'ORDERS_SOLDOUT') return
  }
  // @ts-expect-error the result only exists when the call succeeded
  outcome.result
}

export async function refusesWrongCalls(): Promise<void> {
  // @ts-expect-error no such function
  await client.call('orders.creat', {})
  // @ts-expect-error customer_id is missing
  await client.call('orders.create', {})
  // @ts-expect-error arguments are required
  await client.call('orders.create')
  // @ts-expect-error customer_id is a string
  await client.call('orders.create', { customer_id: 42 })
  // @ts-expect-error not one of the values
  await client.call('orders.list', { status: 'lost' })
}

export async function argumentsMayBeLeftOutWhenNoneIsRequired(): Promise<void> {
  const outcome = await client.call('orders.list')
  if (outcome.ok) expectTypeOf(outcome.result).toEqualTypeOf<{ ids: string[] }>()
  else expectTypeOf(outcome.error.code).toEqualTypeOf<Code | ClientCode>()
  const plain = await client.call('orders.touch', { anything: 1 })
  if (plain.ok) expectTypeOf(plain.result).toBeUnknown()
}

export async function givesTheResultOrThrows(): Promise<void> {
  const order = await client.callOrThrow('orders.create', { customer_id: 'c_42' })
  expectTypeOf(order).toEqualTypeOf<{ id: string; total: number }>()
  const promised: Promise<{ id: string }> = client.callOrThrow('orders.create', {
    customer_id: 'c',
  })
  // @ts-expect-error where the result goes does not change what it is
  const wrong: Promise<{ id: number }> = client.callOrThrow('orders.create', { customer_id: 'c' })
  await Promise.all([promised, wrong])
}

export async function clientsAreNamedByTheirService(given: Client<typeof service>): Promise<void> {
  expectTypeOf(given).toEqualTypeOf(client)
}

export async function reservedNamesAreOpen(): Promise<void> {
  const outcome = await client.system('urn:cline:forrst:fn:health', { component: 'database' })
  if (outcome.ok) expectTypeOf(outcome.result).toBeUnknown()
}

export async function untypedWithoutATypeArgument(): Promise<void> {
  const untyped = createClient({ url: 'http://127.0.0.1:4000/forrst' })
  const outcome = await untyped.call('anything.at.all', { id: 1 })
  if (outcome.ok) expectTypeOf(outcome.result).toBeUnknown()
  else expectTypeOf(outcome.error.code).toBeString()
  await untyped.call('anything.at.all')
}

export async function versionsOfOneNameAreAUnionUntilOneIsNamed(): Promise<void> {
  const both = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [createOrderOld, createOrder],
  })
  const versions = createClient<typeof both>({ url: 'http://127.0.0.1:4000/forrst' })
  const old = await versions.call('orders.create', { customer: 'c_42' }, { version: '1.0.0' })
  if (old.ok) expectTypeOf(old.result).toEqualTypeOf<{ id: string }>()
  else expectTypeOf(old.error.code).toEqualTypeOf<Code | ClientCode>()
  // @ts-expect-error arguments of another version
  await versions.call('orders.create', { customer: 'c_42' }, { version: '2.0.0' })
  // @ts-expect-error no such version
  await versions.call('orders.create', { customer: 'c_42' }, { version: '3.0.0' })
  const outcome = await versions.call('orders.create', { customer_id: 'c_42' })
  if (outcome.ok) {
    expectTypeOf(outcome.result).toEqualTypeOf<{ id: string } | { id: string; total: number }>()
  }
}

export async function typedFromAMapWithoutTheService(): Promise<void> {
  type Functions = {
    'orders.get': { arguments: { id: string }; result: { total: number }; code: 'ORDERS_GONE' }
  }
  const generated = createClient<Functions>({ url: 'http://127.0.0.1:4000/forrst' })
  const outcome = await generated.call('orders.get', { id: 'o_1' })
  if (outcome.ok) expectTypeOf(outcome.result).toEqualTypeOf<{ total: number }>()
  else expectTypeOf(outcome.error.code).toEqualTypeOf<'ORDERS_GONE' | Code | ClientCode>()
}

export async function streamsItemsOfTheirType(): Promise<void> {
  const stream = client.stream('orders.export', {}, { onProgress: ({ percent }) => percent + 1 })
  for await (const item of stream) expectTypeOf(item).toEqualTypeOf<{ id: string }>()
  expectTypeOf(await stream.result()).toEqualTypeOf<{ count: number }>()
  // @ts-expect-error no such function
  client.stream('orders.exports')
  const untyped = createClient({ url: 'http://127.0.0.1:4000/forrst' }).stream('any.thing')
  for await (const item of untyped) expectTypeOf(item).toEqualTypeOf<unknown>()
}

export async function errorsAreToldApartByTheirCode(): Promise<void> {
  const outcome = await client.call('orders.reserve')
  if (outcome.ok) return
  const { error } = outcome
  if (error.code === 'ORDERS_SOLD_OUT')
    expectTypeOf(error.details).toEqualTypeOf<{ left: number }>()
  else if (error.code === 'NOT_FOUND') expectTypeOf(error.details.id).toBeString()
  else if (error.code === 'ORDERS_CLOSED') expectTypeOf(error.details).toEqualTypeOf<Details>()
  else if (error.code === 'UNAVAILABLE') expectTypeOf(error.details).toEqualTypeOf<Details>()
  else expectTypeOf(error.code).toExtend<Code | ClientCode>()
  type Functions = {
    'orders.get': {
      arguments: { id: string }
      result: { total: number }
      code: 'ORDERS_GONE' | 'ORDERS_OLD'
      details: { ORDERS_GONE: { since: string } }
    }
  }
  const generated = createClient<Functions>({ url: 'http://127.0.0.1:4000/forrst' })
  const got = await generated.call('orders.get', { id: 'o_1' })
  if (got.ok) return
  if (got.error.code === 'ORDERS_GONE') expectTypeOf(got.error.details.since).toBeString()
  if (got.error.code === 'ORDERS_OLD') expectTypeOf(got.error.details).toEqualTypeOf<Details>()
}

type Details = JsonObject | undefined

export async function onlyWhatMayRunInTheBackgroundCanBeStarted(): Promise<void> {
  const operation = await client.start('orders.create', { customer_id: 'c_42' })
  const outcome = await operation.result({ onState: ({ progress }) => progress })
  if (outcome.ok) expectTypeOf(outcome.result).toEqualTypeOf<{ id: string; total: number }>()
  else if (outcome.error.code === 'ORDERS_SOLD_OUT')
    expectTypeOf(outcome.error.message).toBeString()
  // @ts-expect-error it excludes the async extension
  await client.start('orders.reserve')
  const untyped = createClient({ url: 'http://127.0.0.1:4000/forrst' })
  await untyped.start('any.thing', { id: 1 })
}

export async function queriesAskForWhatTheDefinitionAllows(): Promise<void> {
  const outcome = await client.query(
    'orders.search',
    {},
    {
      where: { status: 'open', total: { gt: 10 } },
      sorts: ['-total'],
      fields: ['status'],
      relationships: ['customer'],
      pagination: { limit: 10, cursor: 'c' },
      deadline: { value: 1, unit: 'second' },
    },
  )
  if (outcome.ok) {
    expectTypeOf(outcome.result.data[0]?.attributes?.status).toEqualTypeOf<
      'open' | 'paid' | undefined
    >()
  }
  for await (const order of client.each('orders.search')) {
    expectTypeOf(order.attributes?.total).toEqualTypeOf<number | undefined>()
  }
  // @ts-expect-error a function without query
  await client.query('orders.list')
  // @ts-expect-error not an attribute that may be filtered
  await client.query('orders.search', {}, { where: { id: 'o_1' } })
  // @ts-expect-error not a value of the attribute
  await client.query('orders.search', {}, { where: { status: 'lost' } })
  // @ts-expect-error an operator that is not allowed
  await client.query('orders.search', {}, { where: { total: { lt: 1 } } })
  // @ts-expect-error not an attribute that may be sorted by
  await client.query('orders.search', {}, { sorts: ['status'] })
  // @ts-expect-error a strategy that is not allowed
  await client.query('orders.search', {}, { pagination: { offset: 1 } })
  const untyped = createClient({ url: 'http://127.0.0.1:4000/forrst' })
  const page = await untyped.query('any.thing', {}, { sorts: ['-id'] })
  if (page.ok) expectTypeOf(page.result.data[0]?.id).toEqualTypeOf<string | undefined>()
}
