export {
  connectForrstSource,
  type ForrstSourceOptions,
} from './forrst-source.ts'
export { connectMcpSource, type McpSource, type McpSourceOptions } from './mcp-source.ts'
export { parseMcpReference } from './reference.ts'
