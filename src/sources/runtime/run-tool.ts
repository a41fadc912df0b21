import { defineFunction, type FunctionDefinition, type Tag } from '../../core/index.ts'
import { CallError, type Code } from '../../errors/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import { defined, type JsonObject } from '../../values/index.ts'
import type { HttpMethod, ToolDef, ToolSpec } from '../tool-spec/index.ts'
import { type Caller, type CallerOptions, createToolCaller } from './call-tool.ts'
import { fillDefaults } from './check-arguments.ts'
import { toInputSchema } from './input-schema.ts'
import type { ToolArguments } from './operation.ts'
import { toApiOperation } from './to-operation.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { ToolError, type ToolErrorReason, ToolHttpError } from './tool-error.ts'

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
  const groups = new Map((spec.groups ?? []).map((group) => [group.name, group]))
  const toTag = (name: string): Tag => {
    const { title, description } = groups.get(name) ?? {}
    return { name, ...defined({ summary: title, description }) }
  }
  return spec.tools.map((tool) => {
    const input = toInputSchema(tool)
    const run = handlers.get(tool.name) ?? toHandler(spec, tool, call)
    return defineFunction({
      name: `${spec.domain}.${tool.name}`,
      version: '1.0.0',
      summary: tool.title ?? firstSentence(tool.description),
      description: tool.description,
      input,
      ...effectsOf(tool),
      ...(tool.tags && tool.tags.length > 0 && { tags: tool.tags.map(toTag) }),
      ...(tool.deprecated && { deprecated: { reason: 'The API behind it is deprecated.' } }),
      imported: true,
      nullMeansAbsent: true,
      handler: ({ input: args, signal }) => runHandler(run, withDefaults(input, args), signal),
    })
  })
}

/**
 * Makes ordinary functions of generated tools, named `<domain>.<tool>`.
 *
 * @example
 * createService({ info, functions: toFunctions('orchard', orchard_tools) })
 */
export function toFunctions(
  domain: string,
  tools: readonly ToolDefinition[],
): FunctionDefinition[] {
  return tools.map(({ name, description, parameters, tags = [], annotations, handler }) =>
    defineFunction({
      name: `${domain}.${name}`,
      version: '1.0.0',
      summary: firstSentence(description),
      description,
      input: { ...parameters },
      ...toEffects(annotations),
      ...(tags.length > 0 && { tags: tags.map((tag) => ({ name: tag })) }),
      handler: ({ input, signal }) => runHandler(handler, input, signal),
    }),
  )
}

/** The side effects that give these hints again. */
function toEffects(
  hints: ToolDefinition['annotations'],
): Pick<FunctionDefinition, 'readOnly' | 'sideEffects'> {
  if (hints?.readOnlyHint === undefined) return {}
  if (hints.readOnlyHint) return { readOnly: true }
  const reachesOut = hints.openWorldHint ? ['external_api_call'] : []
  return { sideEffects: [hints.destructiveHint ? 'update' : 'create', ...reachesOut] }
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
async function runHandler<Arguments>(
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

const CODE_BY_REASON = {
  arguments: 'INVALID_ARGUMENTS',
  setup: 'UNAVAILABLE',
  network: 'DEPENDENCY_ERROR',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  redirect: 'DEPENDENCY_ERROR',
  status: 'DEPENDENCY_ERROR',
} as const satisfies Record<ToolErrorReason, Code>

/** Statuses that say something about the call itself; all others only say that the upstream failed. */
const CODE_BY_STATUS: ReadonlyMap<number, Code> = new Map([
  [400, 'VALIDATION_ERROR'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [409, 'CONFLICT'],
  [410, 'GONE'],
  [412, 'CONFLICT'],
  [422, 'VALIDATION_ERROR'],
  [429, 'RATE_LIMITED'],
  [503, 'UNAVAILABLE'],
])

/** Turns what a tool call threw into an error that every surface can encode. */
export function toToolCallError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && signal.reason instanceof CallError) return signal.reason
  if (thrown instanceof ToolHttpError) return fromStatus(thrown)
  if (!(thrown instanceof ToolError)) return thrown
  return new CallError(CODE_BY_REASON[thrown.reason], {
    ...toMessage(thrown),
    details: {
      tool: thrown.tool,
      ...(thrown.problems.length > 0 && { problems: thrown.problems }),
    },
    cause: thrown,
  })
}

/** Said instead of messages that name addresses and settings of ours. */
const NEUTRAL: Readonly<Partial<Record<ToolErrorReason, string>>> = {
  network: 'the API could not be reached',
  redirect: 'the API answered with a redirect that is not followed',
  timeout: 'no answer in time',
  setup: 'the service has no access to the API',
}

/** What is missing at start has a number and says which variable to set: that helps, and names no address. */
function toMessage({ tool, reason, message }: ToolError): {
  readonly message: string
  readonly reason?: string
} {
  const neutral = NEUTRAL[reason]
  if (neutral === undefined || /^E\d+ |has no code yet/.test(message)) return { message }
  return { message: `${tool}: ${neutral}`, reason: message }
}

// 401 is about our credential, not the caller's, so it must not ask the caller to log in.
function fromStatus(error: ToolHttpError): CallError {
  const { tool, method, url, status, body, retry_after } = error
  const details: JsonObject = {
    tool,
    upstream_status: status,
    upstream_request: `${method} ${toPath(url)}`,
    ...(body !== '' && { upstream_body: body }),
    ...(retry_after !== undefined && { retry_after: { value: retry_after, unit: 'second' } }),
  }
  const code = CODE_BY_STATUS.get(status) ?? 'DEPENDENCY_ERROR'
  const message = `${tool}: the API answered ${status}`
  return new CallError(code, { message, reason: `${method} ${url}`, details, cause: error })
}

/** Where the API is belongs to the service, what was asked of it to the caller. */
function toPath(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
