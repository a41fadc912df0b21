export type { ToolDetail, ToolSummary } from './encode.ts'
export { prepareTools } from './provider.ts'
export { createServiceToolApi, type ServiceToolApiOptions } from './service-tools.ts'
export { explorer } from './surface.ts'
export type {
  AuthHook,
  PreparedTools,
  Tool,
  ToolCallHandler,
  ToolCallOutcome,
  ToolCallResult,
  ToolContentBlock,
  ToolStreamHandler,
  ToolsProvider,
  ValidateResult,
  ValidationFailure,
} from './tool.ts'
export { createToolApi, type ToolApi, type ToolApiOptions } from './tool-api.ts'
