import { defineFunction, type FunctionDefinition } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import type { HttpMethod, ToolDef, ToolSpec } from '../tool-spec/index.ts'
import type { Caller, CallerOptions } from './call-tool.ts'
import { fillDefaults } from './check-arguments.ts'
import { toInputSchema } from './input-schema.ts'
import type { ToolArguments } from './operation.ts'
import { toApiOperation } from './to-operation.ts'
import { createToolCaller } from './tool-caller.ts'
import { toToolCallError } from './tool-failure.ts'

/** Does the work of a tool that is not an HTTP call. */
export type ToolHandler = (
  args: ToolArguments,
  context: { readonly signal: AbortSignal },
) => unknown

/** How the tools of a spec are run. */
export interface ToolFunctionsOptions extends CallerOptions {
  /** Code for tools without `method` and `path`, by tool name; also replaces the call of an HTTP tool. */
  readonly handlers?: Readonly<Record<string, ToolHandler>>
}

/** Makes ordinary functions of the tools of a spec, named `<domain>.<tool>`. */
export function createToolFunctions(
  spec: ToolSpec,
  options: ToolFunctionsOptions = {},
): FunctionDefinition[] {
  const call = createToolCaller(options)
  const handlers = new Map(Object.entries(options.handlers ?? {}))
  return spec.tools.map((tool) => {
    const input = toInputSchema(tool)
    const run = handlers.get(tool.name) ?? toHandler(spec, tool, call)
    return defineFunction({
      name: `${spec.domain}.${tool.name}`,
      version: '1.0.0',
      summary: firstSentence(tool.description),
      description: tool.description,
      input,
      ...effectsOf(tool),
      ...(tool.tags && tool.tags.length > 0 && { tags: tool.tags.map((name) => ({ name })) }),
      ...(tool.deprecated && { deprecated: { reason: 'The API behind it is deprecated.' } }),
      imported: true,
      nullMeansAbsent: true,
      handler: ({ input: args, signal }) => runHandler(run, withDefaults(input, args), signal),
    })
  })
}

/** Cuts the first sentence out of a description. */
export function firstSentence(description: string): string {
  const line = description.trim().split(/\n/, 1)[0] ?? ''
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line
  return sentence.length > 120 ? `${sentence.slice(0, 119).trimEnd()}…` : sentence
}

/** What a method does to the other side unless the spec says more. */
const EFFECTS = {
  GET: [],
  POST: ['create'],
  PUT: ['update'],
  PATCH: ['update'],
  DELETE: ['delete'],
} as const satisfies Record<HttpMethod, readonly string[]>

/** Says what a tool does to the other side; undefined when nothing is known about it. */
export function sideEffectsOf(tool: ToolDef): readonly string[] | undefined {
  if (tool.read_only ?? tool.method === 'GET') return []
  const effects = tool.destructive ? ['update', 'external_api_call'] : ['external_api_call']
  return tool.method && [...new Set([...EFFECTS[tool.method], ...effects])]
}

function effectsOf(tool: ToolDef): Pick<FunctionDefinition, 'readOnly' | 'sideEffects'> {
  const sideEffects = sideEffectsOf(tool)
  if (sideEffects === undefined) return {}
  return sideEffects.length === 0 ? { readOnly: true } : { sideEffects }
}

function toHandler(spec: ToolSpec, tool: ToolDef, call: Caller): ToolHandler {
  const operation = toApiOperation(spec, tool)
  if (operation) return (args, { signal }) => call(operation, args, { signal })
  return () => {
    throw new CallError('FUNCTION_DISABLED', {
      message: `${tool.name} is not an HTTP tool: give its code in handlers or generate TypeScript`,
      details: { tool: tool.name },
    })
  }
}

/** Runs the code of a tool; what it throws becomes an error that every surface can encode. */
export async function runHandler<Arguments>(
  run: (args: Arguments, context: { readonly signal: AbortSignal }) => unknown,
  args: Arguments,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  try {
    return (await run(args, { signal })) as Record<string, unknown>
  } catch (thrown) {
    throw toToolCallError(thrown, signal)
  }
}

function withDefaults(schema: JsonSchema, args: ToolArguments): ToolArguments {
  return fillDefaults(schema, args) as ToolArguments
}
