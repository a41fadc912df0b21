// The official MCP server 2.x with its Host and Origin guards, as its guide mounts it, answering JSON.
import { createServer } from 'node:http'
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createOrder, PLACE, ready, zodArguments } from '../job.mjs'

const inputSchema = zodArguments(z)
const call = (input) => ({ content: [{ type: 'text', text: JSON.stringify(createOrder(input)) }] })
const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' })
    server.registerTool('orders__create', { description: 'Create an order', inputSchema }, call)
    return server
  },
  { responseMode: 'json' },
)
const node = toNodeHandler(handler)
const isHostFine = localhostHostValidation()
const isOriginFine = localhostOriginValidation()
createServer((request, response) => {
  if (isHostFine(request, response) && isOriginFine(request, response)) void node(request, response)
}).listen(PLACE, ready)
