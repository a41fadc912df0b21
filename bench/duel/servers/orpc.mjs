// oRPC on its node adapter with Zod.
import { createServer } from 'node:http'
import { os } from '@orpc/server'
import { RPCHandler } from '@orpc/server/node'
import { z } from 'zod'
import { createOrder, PLACE, ready, zodArguments } from '../job.mjs'

const create = os.input(zodArguments(z)).handler(({ input }) => createOrder(input))
const handler = new RPCHandler({ orders: { create } })
createServer(async (request, response) => {
  const { matched } = await handler.handle(request, response, { prefix: '/rpc', context: {} })
  if (!matched) response.writeHead(404).end()
}).listen(PLACE, ready)
