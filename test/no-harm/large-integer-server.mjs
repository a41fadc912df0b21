// An MCP server behind a pipe that answers with an integer a number cannot hold.
import { createInterface } from 'node:readline'

const RESULTS = {
  initialize:
    '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
  'tools/list':
    '{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"id":{"type":"integer","format":"int64"}}},"outputSchema":{"type":"object","properties":{"id":{"type":"integer"},"line":{"type":"string"}}}}]}',
  'tools/call': '{"content":[],"structuredContent":{"id":9007199254740993}}',
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) {
    const echo = `{"content":[],"structuredContent":{"line":${JSON.stringify(line)}}}`
    const result = params?.arguments?.id === undefined ? RESULTS[method] : echo
    console.log(`{"jsonrpc":"2.0","id":${id},"result":${result ?? '{}'}}`)
  }
}
