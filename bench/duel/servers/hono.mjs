// Hono on its Node server with Zod.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import { createOrder, PLACE, ready, zodArguments } from '../job.mjs'

const input = zodArguments(z)
const app = new Hono()
app.post('/orders.create', async (context) => {
  const checked = input.safeParse(await context.req.json())
  return checked.success
    ? context.json(createOrder(checked.data))
    : context.json({ error: checked.error.issues }, 400)
})
serve({ fetch: app.fetch, port: PLACE.port, hostname: PLACE.host }, ready)
