// Fastify with its built-in Ajv: the envelope and the arguments are checked by schema.
import fastify from 'fastify'
import { createOrder, ENVELOPE_SCHEMA, report } from '../job.mjs'

const app = fastify()
app.post('/forrst', { schema: { body: ENVELOPE_SCHEMA } }, (request, reply) => {
  const { id, call } = request.body
  reply.send({
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    result: createOrder(call.arguments),
  })
})
await app.listen({ port: 0, host: '127.0.0.1' })
report(app.server)
