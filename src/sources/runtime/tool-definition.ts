import type { Caller, ToolContext } from './call-tool.ts'
import { type ArgumentSchema, checkArguments } from './check-arguments.ts'
import type { ApiOperation } from './operation.ts'
import { ToolError } from './tool-error.ts'

/** A tool as an agent is told about it, with the code that runs it. */
export interface ToolDefinition extends ToolDescription {
  readonly handler: (args: unknown, context?: ToolContext) => Promise<unknown>
}

/** What an agent is told about a tool. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: ArgumentSchema
  readonly tags?: readonly string[]
  readonly annotations?: {
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
}

/** A tool that is an HTTP call. */
export interface HttpTool extends ToolDescription {
  readonly operation: ApiOperation
}

/** Runs a tool that is an HTTP call; arguments are checked before anything is sent. */
export async function runHttpTool(
  tool: HttpTool,
  call: Caller,
  args: unknown,
  context?: ToolContext,
): Promise<unknown> {
  return call(tool.operation, checkArguments(tool.name, tool.parameters, args), context)
}

/** Makes the definition of a tool that is an HTTP call. */
export function defineHttpTool(tool: HttpTool, call: Caller): ToolDefinition {
  const { operation: _operation, ...description } = tool
  return { ...description, handler: (args, context) => runHttpTool(tool, call, args, context) }
}

/** Makes the definition of a tool whose code is written by hand. */
export function defineOwnTool(
  tool: ToolDescription,
  run: (args: unknown, context: ToolContext) => Promise<unknown>,
): ToolDefinition {
  const handler: ToolDefinition['handler'] = async (args, context = {}) => {
    return run(checkArguments(tool.name, tool.parameters, args), context)
  }
  return { ...tool, handler }
}

/** Says that the code of a tool is still to be written. */
export function notWritten(tool: string, _args: unknown, _context: ToolContext): never {
  const message = `${tool} has no code yet: write it between its <custom> marks`
  throw new ToolError(tool, 'setup', message)
}
