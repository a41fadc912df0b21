import { toTypeNode } from '../schema/index.ts'
import { type CustomRegions, writeRegion } from './custom-regions.ts'
import type { RuntimeSource } from './embedded-runtime.ts'
import { EMBEDDED_RUNTIME, type ToolKinds, writeHead, writeImport } from './emit-runtime.ts'
import { writeType } from './emit-types.ts'
import { toLiteral, toStringLiteral } from './literals.ts'
import type { CodeModel, ToolModel } from './model.ts'
import { createWriter, type Writer } from './writer.ts'

/** Emits the capabilities file of a domain: one typed function per tool, and the list of all tools. */
export function emitCapabilities(
  model: CodeModel,
  custom: CustomRegions = new Map(),
  runtime: RuntimeSource = 'inline',
): string {
  const writer = createWriter()
  const kinds: ToolKinds = {
    http: model.tools.some((tool) => tool.operation),
    own: model.tools.some((tool) => !tool.operation),
  }
  if (runtime === 'package') writeImport(writer, kinds)
  if (kinds.own) writeRegion(writer, 'imports', custom, '// Imports of your own code go here.')
  writeHead(writer, kinds, runtime)
  for (const tool of model.tools) writeTool(writer, tool, custom)
  writeList(writer, model)
  if (runtime === 'package') return writer.toString()
  writer.gap()
  writer.line(EMBEDDED_RUNTIME)
  return writer.toString()
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
    '}',
    () => writer.line(`return runHttpTool(${constName}, call, args, context)`),
  )
}

function writeOwnTool(writer: Writer, tool: ToolModel, custom: CustomRegions): void {
  const { name, functionName, argsName, constName } = tool
  writer.line(`const ${constName}: ToolDescription = ${toLiteral(describe(tool), '', 40)}`)
  writer.gap()
  writeDoc(writer, tool)
  writer.block(
    `export async function ${functionName}(args: ${argsName}, context: ToolContext = {}): Promise<unknown> {`,
    '}',
    () =>
      writeRegion(
        writer,
        functionName,
        custom,
        `return notWritten(${toStringLiteral(name)}, args, context)`,
      ),
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
  writer.block(`export const ${model.toolsName}: readonly ToolDefinition[] = [`, ']', () => {
    for (const { operation, constName, functionName, argsName } of model.tools) {
      if (operation) writer.line(`defineHttpTool(${constName}, call),`)
      else
        writer.line(
          `defineOwnTool(${constName}, (args, context) => ${functionName}(args as ${argsName}, context)),`,
        )
    }
  })
}
