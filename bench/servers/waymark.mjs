// Waymark, from the built package: the whole protocol, host and origin checks, limits, abort signal.
import { createServer } from 'node:http'
import {
  allSurfaces,
  createApp,
  createService,
  defineFunction,
  toNodeListener,
} from '../../dist/entries/waymark.js'
import { createOrder, ORDER_SCHEMA, report } from '../job.mjs'

const count = Number(process.env.FUNCTIONS ?? 1)
const define = (name, version) =>
  defineFunction({
    name,
    version,
    summary: 'Create a new order',
    input: ORDER_SCHEMA,
    handler: ({ input }) => createOrder(input),
  })
const others = Array.from({ length: count - 1 }, (_, index) => define(`fill.f${index}`, '1.0.0'))
const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [define('orders.create', '2.0.0'), ...others],
})
const server = createServer(toNodeListener(createApp(service, { surfaces: allSurfaces() })))
server.listen(0, '127.0.0.1', () => report(server))
