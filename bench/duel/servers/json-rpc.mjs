// json-rpc-2.0 with Ajv on bare node:http.
import { createServer } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { JSONRPCErrorException, JSONRPCServer } from 'json-rpc-2.0'
import { ARGUMENTS, createOrder, PLACE, readBody, ready } from '../job.mjs'

const check = new Ajv2020().compile(ARGUMENTS)
const rpc = new JSONRPCServer()
rpc.addMethod('orders.create', (input) => {
  if (!check(input)) throw new JSONRPCErrorException('Invalid params', -32602, check.errors)
  return createOrder(input)
})
createServer((request, response) => {
  readBody(request, (body) => {
    rpc.receiveJSON(body).then((answer) => {
      const text = JSON.stringify(answer)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      response.end(text)
    })
  })
}).listen(PLACE, ready)
