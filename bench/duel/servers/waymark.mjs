// Waymark with the defaults of createApp, from the built package; FUNCTIONS registers more of them.
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ARGUMENTS, createOrder, listOrders, PLACE, ready } from '../job.mjs'

const dist = resolve(process.env.WAYMARK_DIST ?? 'dist')
const { allSurfaces, createApp, createService, defineFunction, toNodeListener } = await import(
  pathToFileURL(`${dist}/entries/waymark.js`)
)
const lists = new Map()
const large = 16 * 2 ** 20
const define = (name) =>
  defineFunction({
    name,
    version: '1.0.0',
    summary: 'Create an order',
    input: ARGUMENTS,
    handler: ({ input }) => createOrder(input),
  })
const functions = [
  define('orders.create'),
  defineFunction({
    name: 'orders.list',
    version: '1.0.0',
    input: { type: 'object', properties: { bytes: { type: 'integer' } } },
    handler({ input: { bytes } }) {
      if (!lists.has(bytes)) lists.set(bytes, listOrders(bytes))
      return { orders: lists.get(bytes) }
    },
  }),
  defineFunction({
    name: 'orders.items',
    version: '1.0.0',
    input: { type: 'object', properties: { count: { type: 'integer' } } },
    item: { type: 'object' },
    async *handler({ input: { count } }) {
      for (let index = 0; index < count; index += 1) yield { index, name: `item ${index}` }
    },
  }),
]
for (let index = 1; index < Number(process.env.FUNCTIONS ?? 1); index += 1)
  functions.push(define(`fill.f${index}`))
const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions,
  ...(process.env.LARGE && { limits: { maxRequestBytes: large, maxResponseBytes: large } }),
  log: { info() {}, warn() {}, error: console.error },
})
const app = createApp(service, { surfaces: allSurfaces() })
createServer(toNodeListener(app)).listen(PLACE, ready)
