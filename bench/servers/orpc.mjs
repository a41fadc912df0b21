// oRPC on its node adapter with Zod.
import { createServer } from 'node:http'
import { os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/node'
import { z } from 'zod'
import { createOrder, report } from '../job.mjs'

const create = os
  .input(
    z.object({
      customer_id: z.string().min(1),
      items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })).min(1),
    }),
  )
  .handler(({ input }) => createOrder(input))
const handler = new RPCHandler({ orders: { create } })
const server = createServer(async (request, response) => {
  const { matched } = await handler.handle(request, response, { prefix: '/rpc', context: {} })
  if (!matched) response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => report(server))
