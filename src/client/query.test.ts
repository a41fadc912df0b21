import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFunction } from '../core/index.ts'
import { runQuery, toResource } from '../extensions/query/index.ts'
import { createForrstHandler } from '../surfaces/forrst/index.ts'
import { createService } from '../system/index.ts'
import { createClient } from './client.ts'
import { createLocalTransport } from './local-transport.ts'

const ROWS = [
  { id: 'o_1', status: 'paid', total: 10 },
  { id: 'o_2', status: 'open', total: 30 },
  { id: 'o_3', status: 'paid', total: 20 },
] as const

const list = defineFunction({
  name: 'orders.list',
  version: '1.0.0',
  readOnly: true,
  output: z.array(
    z.object({ id: z.string(), status: z.enum(['open', 'paid']), total: z.number() }),
  ),
  query: {
    filters: { allowed: ['status', 'total'] },
    sorts: { allowed: ['total'] },
    fields: { allowed: ['status', 'total'] },
    pagination: { strategies: ['cursor'], defaultSize: 2 },
  },
  resources: ({ plan }) =>
    runQuery(
      plan,
      ROWS.map((row) => toResource('order', row)),
    ),
  handler: () => [...ROWS],
})

const take = defineFunction({
  name: 'orders.take',
  version: '1.0.0',
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Sold out', data: z.object({ left: z.int() }) }],
  handler: ({ fail }) => {
    throw fail('ORDERS_SOLD_OUT', { details: { left: 0 } })
  },
})

describe('a typed client', () => {
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [list, take],
  })
  afterAll(() => service.close())
  const client = createClient<typeof service>({
    transport: createLocalTransport(createForrstHandler(service)),
  })

  it('queries one page, with the parts of the query as the definition allows them', async () => {
    const outcome = await client.query(
      'orders.list',
      {},
      { where: { status: 'paid' }, sorts: ['-total'], fields: ['total'] },
    )
    expect(outcome.ok && outcome.result.data).toEqual([
      { type: 'order', id: 'o_3', attributes: { total: 20 } },
      { type: 'order', id: 'o_1', attributes: { total: 10 } },
    ])
  })

  it('joins conditions by or, and takes the options of a call beside the query', async () => {
    const outcome = await client.query('orders.list', undefined, {
      filters: [
        { attribute: 'total', operator: 'gt', value: 25 },
        { attribute: 'total', operator: 'lt', value: 15, boolean: 'or' },
      ],
      version: '1.0.0',
    })
    expect(outcome.ok && outcome.result.data.map(({ id }) => id)).toEqual(['o_1', 'o_2'])
  })

  it('gives every resource, page after page', async () => {
    const totals: (number | undefined)[] = []
    for await (const order of client.each('orders.list', {}, { sorts: ['total'] })) {
      totals.push(order.attributes?.total)
    }
    expect(totals).toEqual([10, 20, 30])
  })

  it('answers a refused query as a failure, and throws it from each', async () => {
    const wrong = { pagination: { cursor: 'not-a-cursor' } }
    const outcome = await client.query('orders.list', {}, wrong)
    expect(outcome).toMatchObject({ ok: false })
    const code = outcome.ok ? '' : outcome.error.code
    await expect(client.each('orders.list', {}, wrong).next()).rejects.toMatchObject({ code })
  })

  it('has the details of a declared error by its code', async () => {
    const outcome = await client.call('orders.take')
    const left =
      !outcome.ok && outcome.error.code === 'ORDERS_SOLD_OUT' && outcome.error.details.left
    expect(left).toBe(0)
  })

  it('finds the schema of the details in the description, as JSON Schema', async () => {
    const found = await client.discoverFunction('orders.take')
    expect(found.ok && found.result.errors).toMatchObject([
      { code: 'ORDERS_SOLD_OUT', data: { type: 'object', required: ['left'] } },
    ])
  })
})

it('names the field of a schema of details that JSON cannot hold', () => {
  const late = defineFunction({
    name: 'orders.late',
    version: '1.0.0',
    errors: [{ code: 'ORDERS_LATE', message: 'Late', data: z.object({ due: z.date() }) }],
    handler: () => 1,
  })
  expect(() =>
    createService({ info: { title: 'Orders', version: '1.0.0' }, functions: [late] }),
  ).toThrow('errors[0].data.due: z.date() cannot be sent as JSON; use z.iso.datetime()')
})
