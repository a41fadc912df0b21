// A bare node:http handler with JSON.parse, hand-written checks and JSON.stringify: the limit.
import { createServer } from 'node:http'
import { createOrder, report } from '../job.mjs'

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
    const answer = handle(body.toString())
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(answer),
    })
    response.end(answer)
  })
})

function handle(text) {
  const document = JSON.parse(text)
  const { protocol, id, call } = document
  if (protocol?.name !== 'forrst' || typeof protocol.version !== 'string') return fail(id)
  if (typeof id !== 'string' || id === '') return fail(null)
  if (call?.function !== 'orders.create' || call.version !== '2.0.0') return fail(id)
  const input = call.arguments
  if (typeof input?.customer_id !== 'string' || input.customer_id === '') return fail(id)
  if (!Array.isArray(input.items) || input.items.length === 0) return fail(id)
  for (const item of input.items) {
    if (typeof item?.product_id !== 'string') return fail(id)
    if (!Number.isInteger(item.quantity) || item.quantity < 1) return fail(id)
  }
  return JSON.stringify({
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    result: createOrder(input),
  })
}

function fail(id) {
  return JSON.stringify({
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    result: null,
    errors: [{ code: 'INVALID_REQUEST', message: 'invalid' }],
  })
}

server.listen(0, '127.0.0.1', () => report(server))
