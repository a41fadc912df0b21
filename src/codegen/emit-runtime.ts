import { printEmbedded, printNames, type RuntimeSource } from './embedded-runtime.ts'
import { TOOL_RUNTIME } from './tool-runtime.gen.ts'
import type { Writer } from './writer.ts'

/** Which kinds of tool a file holds. */
export interface ToolKinds {
  readonly http: boolean
  readonly own: boolean
}

const ERRORS: readonly string[] = ['ToolError', 'ToolHttpError']
const HTTP_VALUES: readonly string[] = ['createToolCaller', 'defineHttpTool', 'runHttpTool']
const OWN_VALUES: readonly string[] = ['defineOwnTool', 'notWritten']

/** The types that whoever imports a generated file may want to name. */
const EXPORTED_TYPES: readonly string[] = [
  ...TOOL_RUNTIME.types.matchAll(/^export (?:interface|type) (\w+)/gm),
]
  .map(([, name]) => name ?? '')
  .filter((name) => !ERRORS.includes(name))

// All names are reserved, not just those one file needs: what a tool is called in code must not
// change because another tool is of another kind.
/** What a file of tools declares or imports besides its own names. */
export const RUNTIME_NAMES: readonly string[] = [
  ...TOOL_RUNTIME.typeNames,
  ...HTTP_VALUES,
  ...OWN_VALUES,
  'createToolRuntime',
  'toolRuntime',
  // Files of before declared these. A tool keeps its name, and with it what people wrote for it.
  ...['abortable', 'likeness', 'matches', 'nearest', 'origin', 'shorten', 'sleep'],
]

/** Writes the import of what tools run on, and exports what a file that carries it exports. */
export function writeImport(writer: Writer, kinds: ToolKinds): void {
  const types = ['ToolContext', 'ToolDefinition']
  if (kinds.http) types.push('HttpTool')
  if (kinds.own) types.push('ToolDescription')
  writer.line(printNames('import', { values: valuesOf(kinds), types, from: 'waymark/runtime' }))
  writer.line(
    printNames('export', { values: ERRORS, types: EXPORTED_TYPES, from: 'waymark/runtime' }),
  )
}

/** Writes the lines at the head of a file that take from the runtime what its tools need. */
export function writeHead(writer: Writer, kinds: ToolKinds, runtime: RuntimeSource): void {
  writer.gap()
  if (runtime === 'inline') {
    writer.line('const toolRuntime: ToolRuntime = createToolRuntime()')
    writer.line(`const { ${valuesOf(kinds).join(', ')} } = toolRuntime`)
  }
  if (!kinds.http) return
  writer.gap()
  writer.doc({ text: 'Sends the requests of this file.' })
  writer.line('const call = createToolCaller()')
}

/** The end of every file that carries its runtime. */
export const EMBEDDED_RUNTIME: string = `${printEmbedded(TOOL_RUNTIME, {
  what: 'the runtime',
  // A function, because the tools above it need what it gives.
  declare: (code) => `function createToolRuntime(): ToolRuntime { return ${code} }`,
})}
/** A call that did not come to an answer; nothing in it holds a credential. */
export const ToolError: ToolRuntime['ToolError'] = toolRuntime.ToolError

/** An answer whose status is not a success. */
export const ToolHttpError: ToolRuntime['ToolHttpError'] = toolRuntime.ToolHttpError`

function valuesOf({ http, own }: ToolKinds): string[] {
  return [...(http ? HTTP_VALUES : []), ...(own ? OWN_VALUES : [])]
}
