export type { McpServerAddress } from './client.ts'
export {
  connectMcpSource,
  type McpSource,
  type McpSourceOptions,
  parseMcpReference,
} from './source.ts'
