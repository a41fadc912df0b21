// Orders that can be listed page by page, looked at and created.
import { createService, defineFunction } from 'waymark'
import { runQuery, toResource } from 'waymark/query'
import { z } from 'zod'

const order = z.object({ id: z.string(), status: z.enum(['open', 'paid']), total: z.number() })

/** Creates the service with a few orders in memory. */
// The return type is what the client takes its types from, so it is inferred.
export function createOrders() {
  const orders: z.infer<typeof order>[] = [
    { id: 'o_1', status: 'paid', total: 10 },
    { id: 'o_2', status: 'open', total: 30 },
    { id: 'o_3', status: 'paid', total: 20 },
  ]

  const list = defineFunction({
    name: 'orders.list',
    version: '1.0.0',
    readOnly: true,
    output: z.array(order),
    query: {
      filters: { allowed: ['status'] },
      sorts: { allowed: ['total'] },
      pagination: { strategies: ['cursor'], defaultSize: 2 },
    },
    resources: ({ plan }) =>
      runQuery(
        plan,
        orders.map((row) => toResource('order', row)),
      ),
    handler: () => orders,
  })

  const get = defineFunction({
    name: 'orders.get',
    version: '1.0.0',
    readOnly: true,
    input: z.object({ id: z.string() }),
    output: order,
    errors: [
      { code: 'ORDERS_UNKNOWN', message: 'No such order', data: z.object({ id: z.string() }) },
    ],
    handler: ({ input, fail }) => {
      const found = orders.find(({ id }) => id === input.id)
      if (found === undefined) throw fail('ORDERS_UNKNOWN', { details: input })
      return found
    },
  })

  const create = defineFunction({
    name: 'orders.create',
    version: '1.0.0',
    writes: ['create'],
    input: z.object({ total: z.number().positive() }),
    output: order,
    handler: ({ input }) => {
      const created = { id: `o_${orders.length + 1}`, status: 'open' as const, ...input }
      orders.push(created)
      return created
    },
  })

  return createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [list, get, create],
  })
}
