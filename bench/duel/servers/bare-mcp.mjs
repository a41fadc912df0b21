// MCP's own request and answer on bare node:http with one write and no protocol checks: what its longer messages cost.
import { createServer } from 'node:http'
import { createOrder, isOrder, PLACE, readBody, ready } from '../job.mjs'

createServer((request, response) => {
  readBody(request, (body) => {
    const { id, params } = JSON.parse(body)
    const isRight = isOrder(params.arguments)
    const value = isRight ? createOrder(params.arguments) : undefined
    const content = [{ type: 'text', text: isRight ? JSON.stringify(value) : 'invalid' }]
    const _meta = {
      'io.modelcontextprotocol/serverInfo': { name: 'orders', title: 'Orders', version: '1.0.0' },
    }
    const result = isRight
      ? { content, structuredContent: value, resultType: 'complete', _meta }
      : { content, isError: true }
    const text = JSON.stringify({ jsonrpc: '2.0', id, result })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    response.cork()
    response.write(text)
    response.uncork()
    response.end()
  })
}).listen(PLACE, ready)
