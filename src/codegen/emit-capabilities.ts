import { type CustomRegions, writeRegion } from './custom-regions.ts'
import { writeCaller, writeImport, writeRuntime } from './emit-runtime.ts'
import { writeType } from './emit-types.ts'
import { toLiteral, toStringLiteral } from './literals.ts'
import type { CodeModel, ToolModel } from './model.ts'
import { toTypeNode } from './schema-type.ts'
import { createWriter, type Writer } from './writer.ts'

/** Where the code that sends requests comes from: out of the file itself, or out of `waymark/runtime`. */
export type RuntimeSource = 'inline' | 'package'

/** Emits the capabilities file of a domain: one typed function per tool, and the list of all tools. */
export function emitCapabilities(
  model: CodeModel,
  custom: CustomRegions = new Map(),
  runtime: RuntimeSource = 'inline',
): string {
  const writer = createWriter()
  const own = model.tools.filter((tool) => tool.operation === undefined)
  const operations = model.tools.flatMap((tool) => tool.operation ?? [])
  const pieces = ['ToolContext', 'ToolDefinition', ...toolPieces(model.tools)]
  if (runtime === 'package') writeImport(writer, pieces, operations.length > 0)
  if (own.length > 0) writeRegion(writer, 'imports', custom, '// Imports of your own code go here.')
  writer.gap()
  if (operations.length > 0) {
    if (runtime === 'inline') pieces.push(...writeCaller(writer, operations))
    else writer.line('const call = createToolCaller()')
  }
  for (const tool of model.tools) writeTool(writer, tool, custom)
  writeList(writer, model)
  if (runtime === 'package') return writer.toString()
  writer.gap()
  writer.line(
    '/* From here on: how arguments are checked and requests are sent. The same in every file. */',
  )
  writeRuntime(writer, pieces)
  return writer.toString()
}

function toolPieces(tools: readonly ToolModel[]): string[] {
  const http = tools.some((tool) => tool.operation)
    ? ['HttpTool', 'defineHttpTool', 'runHttpTool']
    : []
  const own = tools.some((tool) => !tool.operation)
    ? ['ToolDescription', 'defineOwnTool', 'notWritten']
    : []
  return [...http, ...own]
}

function writeTool(writer: Writer, tool: ToolModel, custom: CustomRegions): void {
  writer.gap()
  writer.doc({ text: `Arguments of ${tool.name}.` })
  writeType(writer, tool.argsName, toTypeNode(tool.parameters))
  writer.gap()
  if (tool.operation) writeHttpTool(writer, tool)
  else writeOwnTool(writer, tool, custom)
}

function writeHttpTool(writer: Writer, tool: ToolModel): void {
  const { functionName, argsName, constName } = tool
  writer.line(
    `const ${constName}: HttpTool = ${toLiteral({ ...describe(tool), operation: tool.operation }, '', 40)}`,
  )
  writer.gap()
  writeDoc(writer, tool)
  writer.block(
    `export async function ${functionName}(args: ${argsName}, context?: ToolContext): Promise<unknown> {`,
    () => writer.line(`return runHttpTool(${constName}, call, args, context)`),
    '}',
  )
}

function writeOwnTool(writer: Writer, tool: ToolModel, custom: CustomRegions): void {
  const { name, functionName, argsName, constName } = tool
  writer.line(`const ${constName}: ToolDescription = ${toLiteral(describe(tool), '', 40)}`)
  writer.gap()
  writeDoc(writer, tool)
  writer.block(
    `export async function ${functionName}(args: ${argsName}, context: ToolContext = {}): Promise<unknown> {`,
    () =>
      writeRegion(
        writer,
        functionName,
        custom,
        `return notWritten(${toStringLiteral(name)}, args, context)`,
      ),
    '}',
  )
}

function writeDoc(writer: Writer, tool: ToolModel): void {
  writer.doc({ text: tool.description, tags: tool.deprecated ? [{ name: 'deprecated' }] : [] })
}

function describe(tool: ToolModel): Record<string, unknown> {
  const { name, description, parameters, tags, annotations } = tool
  return {
    name,
    description,
    parameters,
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}

function writeList(writer: Writer, model: CodeModel): void {
  writer.gap()
  writer.doc({ text: `All tools of ${model.domain}, as an agent is told about them.` })
  writer.block(
    `export const ${model.toolsName}: readonly ToolDefinition[] = [`,
    () => {
      for (const { operation, constName, functionName, argsName } of model.tools) {
        if (operation) writer.line(`defineHttpTool(${constName}, call),`)
        else
          writer.line(
            `defineOwnTool(${constName}, (args, context) => ${functionName}(args as ${argsName}, context)),`,
          )
      }
    },
    ']',
  )
}
