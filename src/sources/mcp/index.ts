export {
  connectMcpSource,
  type McpSource,
  type McpSourceOptions,
  parseMcpReference,
} from './source.ts'
