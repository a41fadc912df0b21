// An MCP server behind a pipe that answers with an integer a number cannot hold.
import { createInterface } from 'node:readline'

const RESULTS = {
  initialize:
    '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
  'tools/list':
    '{"tools":[{"name":"get","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"id":{"type":"integer"}}}}]}',
  'tools/call': '{"content":[],"structuredContent":{"id":9007199254740993}}',
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) {
    console.log(`{"jsonrpc":"2.0","id":${id},"result":${RESULTS[method] ?? '{}'}}`)
  }
}
