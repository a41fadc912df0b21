import { createHash } from 'node:crypto'
import {
  checkDefinition,
  type FunctionDefinition,
  isVersion,
  markUntrusted,
  toTargetShape,
  toVisibleText,
} from '../../core/index.ts'
import { admitDigits, type JsonSchema, openUnnamedArguments } from '../../schema/index.ts'
import { isRecord, type JsonObject, toReason } from '../../values/index.ts'
import { admitDigitArguments, markArguments } from '../tool-spec/index.ts'
import { type CallTool, REMOTE_FAILURE } from './call.ts'
import type { RemoteTool } from './client.ts'

/** How tools of one server become functions. */
export interface ToolFunctionOptions {
  /** First part of every function name, and what the server is called in descriptions. */
  readonly name: string
  /** Takes descriptions and hints for true. */
  readonly trusted: boolean
  readonly call: CallTool
  /** Other names for tools. */
  readonly rename?: Readonly<Record<string, string>>
  /** Told of each tool that is left out. */
  readonly skip?: (tool: string, reason: string) => void
  readonly warn: (message: string, facts: Readonly<Record<string, unknown>>) => void
}

/** What a tool gives that does not say what it gives. */
const CONTENT = { name: 'result', description: 'Content blocks, in `content`' } as const

const ANY_ARGUMENTS: JsonSchema = { type: 'object', additionalProperties: true }

const MOST_TOOLS = 10_000

/** Makes functions of the tools of a server; a tool whose schemas make no sense loses them, not the whole server. */
export function toToolFunctions(
  tools: readonly RemoteTool[],
  options: ToolFunctionOptions,
): readonly FunctionDefinition[] {
  const names = new Set<string>()
  if (tools.length > MOST_TOOLS) {
    options.warn(`only the first ${MOST_TOOLS} tools are taken over`, { server: options.name })
  }
  return tools.slice(0, MOST_TOOLS).flatMap((tool) => {
    const { [tool.name]: own = tool.name } = options.rename ?? {}
    const name = toFreeName(toFunctionName(options.name, own), tool.name, names)
    return toSoundDefinition(tool, name, options) ?? []
  })
}

/** Tries a tool with all its schemas, then without the result's, then without any. */
function toSoundDefinition(
  tool: RemoteTool,
  name: string,
  options: ToolFunctionOptions,
): FunctionDefinition | undefined {
  // By the protocol, a schema that names no argument accepts any object.
  const input = isRecord(tool.inputSchema) ? openUnnamedArguments(tool.inputSchema) : ANY_ARGUMENTS
  const output = isRecord(tool.outputSchema) ? admitDigits(tool.outputSchema) : undefined
  const attempts = [
    { input, output },
    { input, output: undefined },
    { input: ANY_ARGUMENTS, output: undefined },
  ]
  let reason: unknown
  for (const schemas of attempts) {
    const definition = toDefinition(tool, name, schemas, options)
    try {
      checkDefinition(definition, { components: {}, system: false }, () =>
        toTargetShape(definition, {}, { system: false, validateResults: true }),
      )
      if (reason !== undefined) {
        options.warn(`a schema of the remote tool ${tool.name} is left out: ${toReason(reason)}`, {
          server: options.name,
        })
      }
      return definition
    } catch (thrown) {
      reason ??= thrown
    }
  }
  options.skip?.(tool.name, toReason(reason))
  return undefined
}

function toDefinition(
  tool: RemoteTool,
  name: string,
  { input, output }: { readonly input: JsonSchema; readonly output: JsonSchema | undefined },
  { name: server, trusted, call }: ToolFunctionOptions,
): FunctionDefinition {
  const text = toVisibleText(tool.description ?? tool.title ?? tool.name)
  const version = tool._meta?.['waymark/version']
  const sideEffects = trusted ? toSideEffects(tool) : undefined
  return {
    name,
    version: typeof version === 'string' && isVersion(version) ? version : '1.0.0',
    stability: 'stable',
    summary: toVisibleText(tool.title ?? tool.name).slice(0, 200),
    description: trusted ? text : markUntrusted(text, server),
    tags: [{ name: server }, ...(trusted ? [] : [{ name: 'untrusted' }])],
    input: admitDigitArguments(input),
    // A tool that does not say what it gives promises nothing: clients refuse answers that lack what was promised.
    ...(output === undefined ? { result: CONTENT } : { output }),
    errors: [{ code: REMOTE_FAILURE, message: `The tool of ${server} failed`, status: 502 }],
    ...(sideEffects && { sideEffects }),
    imported: true,
    source: server,
    ...(tool._meta && { toolMeta: tool._meta as JsonObject }),
    handler: (invocation) =>
      call(tool, output !== undefined, invocation, markArguments(input, invocation.input)),
  }
}

/** Hints are all that a tool says about its effects; nothing said means nothing claimed. */
function toSideEffects({ annotations = {} }: RemoteTool): readonly string[] | undefined {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations
  if (readOnlyHint === true) return []
  if (readOnlyHint === undefined && destructiveHint === undefined) return undefined
  return [
    ...(destructiveHint === false ? ['create'] : ['update', 'delete']),
    ...(openWorldHint === true ? ['external_api_call'] : []),
  ]
}

/** Names of functions have dots between parts that begin with a letter. */
function toFunctionName(server: string, tool: string): string {
  const parts = tool
    .split(/[./:\s]+/)
    .map((part) => part.replace(/[^A-Za-z0-9_-]/g, '_'))
    .filter((part) => part !== '')
    .map((part) => (/^[A-Za-z]/.test(part) ? part : `t${part}`))
  return [server, ...(parts.length === 0 ? ['tool'] : parts)].join('.').slice(0, 230)
}

function toFreeName(name: string, tool: string, names: Set<string>): string {
  const digest = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  const free = names.has(name) ? `${name}_${digest}` : name
  names.add(free)
  return free
}
