export { connectMcpSource, type McpSource, type McpSourceOptions } from './mcp-source.ts'
export { parseMcpReference } from './reference.ts'
