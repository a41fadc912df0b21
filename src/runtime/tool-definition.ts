import type { Caller, ToolContext } from './call-tool.ts'
import { type ArgumentSchema, checkArguments } from './check-arguments.ts'
import type { Operation, ToolArguments } from './operation.ts'
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
  readonly operation: Operation
}

/** Makes the definition of a tool that is an HTTP call; arguments are checked before anything is sent. */
export function defineHttpTool(tool: HttpTool, call: Caller): ToolDefinition {
  const { operation, ...description } = tool
  const handler: ToolDefinition['handler'] = async (args, context) => {
    return call(operation, checkArguments(tool.name, tool.parameters, args), context)
  }
  return { ...description, handler }
}

/** Makes the definition of a tool whose code is written by hand. */
export function defineOwnTool(
  tool: ToolDescription,
  run: (args: ToolArguments, context: ToolContext) => Promise<unknown>,
): ToolDefinition {
  const handler: ToolDefinition['handler'] = async (args, context = {}) => {
    return run(checkArguments(tool.name, tool.parameters, args), context)
  }
  return { ...tool, handler }
}

/** Says that code is still to be written, with what it will be given. */
export function notWritten(name: string, ...given: readonly unknown[]): never {
  const message = `${name} has no code yet: write it between its <custom> marks`
  throw new ToolError(name, 'setup', message, { problems: [`given: ${given.length}`] })
}
