// Fastify with Ajv for the envelope and the arguments, and a schema for its answers.
import Fastify from 'fastify'
import { ARGUMENTS, createOrder, PLACE, ready } from '../job.mjs'

const text = { type: 'string' }
const result = {
  type: 'object',
  properties: { id: text, status: text, total: { type: 'integer' } },
}
const protocol = { type: 'object', properties: { name: text, version: text } }
const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false } } })
app.post('/rpc', {
  schema: {
    body: {
      type: 'object',
      required: ['protocol', 'id', 'call'],
      properties: {
        protocol,
        id: text,
        call: {
          type: 'object',
          required: ['function', 'version', 'arguments'],
          properties: {
            function: { const: 'orders.create' },
            version: { const: '1.0.0' },
            arguments: ARGUMENTS,
          },
        },
      },
    },
    response: { 200: { type: 'object', properties: { protocol, id: text, result } } },
  },
  handler: async ({ body }) => ({
    protocol: body.protocol,
    id: body.id,
    result: createOrder(body.call.arguments),
  }),
})
await app.listen(PLACE)
ready()
