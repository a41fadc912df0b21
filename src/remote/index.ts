export type { McpServerAddress } from './mcp-client.ts'
export { connectMcpSource, type McpSource, type McpSourceOptions } from './mcp-source.ts'
export { parseMcpReference } from './reference.ts'
