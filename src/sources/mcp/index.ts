export type { McpServerAddress } from './client.ts'
export { readMcpConfig } from './config.ts'
export type { McpToolSelection } from './selection.ts'
export {
  connectMcpSource,
  type McpSource,
  type McpSourceOptions,
  type McpSourceStatus,
  parseMcpReference,
} from './source.ts'
