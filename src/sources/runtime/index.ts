export { type AuthContext, nameWays, pickWay } from './auth.ts'
export { type Caller, type CallerOptions, createToolCaller, type ToolContext } from './call-tool.ts'
export { type ArgumentSchema, checkArguments } from './check-arguments.ts'
export { toInputSchema, toObjectSchema, withSafePatterns } from './input-schema.ts'
export { finishLogin, type LoginResult, startLogin } from './login.ts'
export type {
  ApiOperation,
  AuthRule,
  BodyField,
  BodyRule,
  Environment,
  PaginateRule,
  ParamRule,
  ResponseRule,
  ToolArguments,
} from './operation.ts'
export { createPublicOnlyFetch, type PublicOnlyOptions } from './public-only.ts'
export {
  createToolFunctions,
  sideEffectsOf,
  type ToolFunctionsOptions,
  type ToolHandler,
  toFunctions,
  toToolCallError,
} from './run-tool.ts'
export type { Sender } from './send.ts'
export { toApiOperation } from './to-operation.ts'
export {
  defineHttpTool,
  defineOwnTool,
  type HttpTool,
  notWritten,
  runHttpTool,
  type ToolDefinition,
  type ToolDescription,
} from './tool-definition.ts'
export { type Refusal, ToolError, type ToolErrorReason, ToolHttpError } from './tool-error.ts'
