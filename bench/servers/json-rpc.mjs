// json-rpc-2.0 on node:http with Ajv for the arguments.
import { createServer } from 'node:http'
import { Ajv } from 'ajv'
import { JSONRPCServer } from 'json-rpc-2.0'
import { createOrder, ORDER_SCHEMA, report } from '../job.mjs'

const check = new Ajv().compile(ORDER_SCHEMA)
const rpc = new JSONRPCServer()
rpc.addMethod('orders.create', (input) => {
  if (!check(input)) throw new Error('invalid')
  return createOrder(input)
})
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    rpc.receiveJSON(Buffer.concat(chunks).toString()).then((answer) => {
      const body = JSON.stringify(answer)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    })
  })
})
server.listen(0, '127.0.0.1', () => report(server))
