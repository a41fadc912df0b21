import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const RESULTS: Readonly<Record<string, string>> = {
  initialize:
    '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
  'tools/list':
    '{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"ids":{"type":"array","items":{"$ref":"#/$defs/big"}},"text":{"type":"string"},"n":{"type":"number"}},"$defs":{"big":{"type":"integer","format":"uint64"}}},"outputSchema":{"type":"object","properties":{"id":{"type":"number"}}}}]}',
  'tools/call':
    '{"content":[{"type":"text","text":"9007199254740993"}],"structuredContent":{"id":9007199254740993}}',
}

/** An MCP server that answers with an integer a JavaScript server could not write; keeps the calls as they came. */
export async function startMcpServer(kind: string, seen: string[] = []): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { id, method = '' } = body === '' ? {} : JSON.parse(body)
      if (method === 'tools/call') seen.push(body)
      const result = RESULTS[method]
      if (result === undefined) return response.writeHead(id === undefined ? 202 : 404).end()
      const text = `{"jsonrpc":"2.0","id":${id},"result":${result}}`
      const isJson = kind === 'json'
      response.writeHead(200, { 'content-type': isJson ? 'application/json' : 'text/event-stream' })
      return response.end(isJson ? text : `event: message\ndata: ${text}\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}
