// Hono on node:http with Zod for envelope and arguments.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import { createOrder, report } from '../job.mjs'

const Envelope = z.object({
  protocol: z.object({ name: z.literal('forrst'), version: z.string() }),
  id: z.string().min(1),
  call: z.object({
    function: z.literal('orders.create'),
    version: z.string(),
    arguments: z.object({
      customer_id: z.string().min(1),
      items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })).min(1),
    }),
  }),
})
const app = new Hono().post('/forrst', async (context) => {
  const checked = Envelope.safeParse(await context.req.json())
  if (!checked.success) return context.json({ errors: checked.error.issues }, 400)
  const { id, call } = checked.data
  return context.json({
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    result: createOrder(call.arguments),
  })
})
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => report(server))
