export {
  connectMcpSource,
  type McpSource,
  type McpSourceOptions,
  parseMcpReference,
} from '../remote/index.ts'
export type { CallerKey } from '../wire/caller.ts'
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
} from './content.ts'
export type { McpOptions } from './environment.ts'
export { createMcpHandler, type McpHandler, type McpHandlerOptions } from './handler.ts'
export type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  PromptArgument,
  PromptMessage,
  Reader,
  ResourceReading,
} from './offer.ts'
export type { LogLevel } from './protocol.ts'
export type { SessionOptions } from './sessions.ts'
export { type StdioOptions, serveStdio } from './stdio.ts'
export type { SubscriptionOptions } from './subscriptions.ts'
export {
  storeTaskRecords,
  type TaskListOptions,
  type TaskPage,
  type TaskRecord,
  type TaskRecords,
  type TaskStatus,
} from './task-records.ts'
export type { TaskOptions } from './tasks.ts'
export { parseToolSelection, type ToolFilter, type ToolSelection } from './tool-filter.ts'
export { measureTools, type ToolCost } from './tools.ts'
