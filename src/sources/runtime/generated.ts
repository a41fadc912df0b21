import { type Caller, createToolCaller, type ToolContext } from './call-tool.ts'
import {
  defineHttpTool,
  defineOwnTool,
  type HttpTool,
  notWritten,
  runHttpTool,
  type ToolDefinition,
  type ToolDescription,
} from './tool-definition.ts'
import { type Refusal, ToolError, type ToolErrorReason, ToolHttpError } from './tool-error.ts'

/** What generated tools run on. */
export interface ToolRuntime {
  readonly createToolCaller: () => Caller
  readonly defineHttpTool: (tool: HttpTool, call: Caller) => ToolDefinition
  readonly defineOwnTool: (
    tool: ToolDescription,
    run: (args: unknown, context: ToolContext) => Promise<unknown>,
  ) => ToolDefinition
  readonly notWritten: (tool: string, args: unknown, context: ToolContext) => never
  readonly runHttpTool: (
    tool: HttpTool,
    call: Caller,
    args: unknown,
    context?: ToolContext,
  ) => Promise<unknown>
  readonly ToolError: new (
    tool: string,
    reason: ToolErrorReason,
    message: string,
    options?: { readonly cause?: unknown; readonly problems?: readonly string[] },
  ) => ToolError
  readonly ToolHttpError: new (refusal: Refusal) => ToolHttpError
}

/** What a generated file carries when it does not import the package; a bundler starts here. */
export const toolRuntime: ToolRuntime = {
  createToolCaller,
  defineHttpTool,
  defineOwnTool,
  notWritten,
  runHttpTool,
  ToolError,
  ToolHttpError,
}
