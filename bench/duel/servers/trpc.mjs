// tRPC on its standalone node adapter with Zod.
import { initTRPC } from '@trpc/server'
import { createHTTPServer } from '@trpc/server/adapters/standalone'
import { z } from 'zod'
import { createOrder, PLACE, ready, zodArguments } from '../job.mjs'

const t = initTRPC.create()
const create = t.procedure.input(zodArguments(z)).mutation(({ input }) => createOrder(input))
createHTTPServer({ router: t.router({ 'orders.create': create }) }).listen(PLACE, ready)
