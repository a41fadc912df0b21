export type { McpAuthorization } from './authorization.ts'
export type { McpServerAddress } from './client.ts'
export { readMcpConfig } from './config.ts'
export {
  joinMcpOffers,
  type McpOffers,
  type OfferedContents,
  type OfferedEntry,
  type OfferedPrompt,
  type OfferedResource,
  type OfferedTemplate,
  type OfferReader,
} from './offers.ts'
export type { McpPins, McpSourcePins } from './pins.ts'
export { parseMcpReference } from './reference.ts'
export type { McpToolSelection } from './selection.ts'
export {
  connectMcpSource,
  type McpSource,
  type McpSourceOptions,
  type McpSourceStatus,
} from './source.ts'
