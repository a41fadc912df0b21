// tRPC 11 on its standalone node adapter with Zod.
import { initTRPC } from '@trpc/server'
import { createHTTPServer } from '@trpc/server/adapters/standalone'
import { z } from 'zod'
import { createOrder, report } from '../job.mjs'

const t = initTRPC.create()
const router = t.router({
  'orders.create': t.procedure
    .input(
      z.object({
        customer_id: z.string().min(1),
        items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })).min(1),
      }),
    )
    .mutation(({ input }) => createOrder(input)),
})
const server = createHTTPServer({ router })
server.listen(0, '127.0.0.1', () => report(server))
