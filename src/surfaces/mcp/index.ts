export {
  type Agent,
  type AgentCapability,
  agentOf,
  type InputRequest,
  type InputRequests,
} from './agent.ts'
export {
  type Authorization,
  createProtectedResourceHandler,
  metadataPaths,
} from './authorization.ts'
export {
  type ContentBlock,
  type ResourceContents,
  type ToolContent,
  toolContent,
} from './encode.ts'
export type { McpOptions } from './environment.ts'
export { createMcpHandler, type McpHandler, type McpHandlerOptions } from './handler.ts'
export type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  PromptArgument,
  PromptMessage,
  Reader,
  ResourceDescription,
  ResourceReading,
} from './offer.ts'
export { LOG_LEVELS, type LogLevel } from './protocol.ts'
export type { SessionOptions } from './session/sessions.ts'
export type { SessionStreamOptions } from './session/streams.ts'
export { type StdioOptions, serveStdio } from './stdio/stdio.ts'
export type { SubscriptionOptions } from './subscriptions.ts'
export { mcp } from './surface.ts'
export {
  storeTaskRecords,
  type TaskListOptions,
  type TaskPage,
  type TaskRecord,
  type TaskRecords,
  type TaskStatus,
} from './tasks/records.ts'
export type { TaskOptions } from './tasks/tasks.ts'
export {
  type CatalogueOptions,
  parseToolSelection,
  type ToolFilter,
  type ToolSelection,
} from './tools/catalogue.ts'
export type { SchemaStyle } from './tools/schema.ts'
export { measureTools, type ToolCost } from './tools/tools.ts'
