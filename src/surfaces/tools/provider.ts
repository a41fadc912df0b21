import type { Logger } from '../../core/index.ts'
import { andThen, type Maybe, toMaybe } from '../../values/index.ts'
import type { HttpRequest } from '../../wire/index.ts'
import { type Content, prepareJson } from './content.ts'
import { toSummary } from './encode.ts'
import type { PreparedTools, Tool, ToolsProvider } from './tool.ts'

/**
 * Reads a list of tools once: its names, and when first asked for its bytes and ETag. A function that hands out the same
 * prepared tools for as long as they hold spares every request the work.
 */
export function prepareTools(
  tools: readonly Tool[],
  onDuplicate: (name: string) => void = () => {},
): PreparedTools {
  const plain = tools.map(toPlain)
  const byName = new Map<string, Tool>()
  for (const tool of plain) {
    if (byName.has(tool.name)) onDuplicate(tool.name)
    byName.set(tool.name, tool)
  }
  let content: Content | undefined
  return {
    find: (name) => byName.get(name),
    respond(request: HttpRequest) {
      content ??= prepareJson(plain.map(toSummary))
      return content.respond(request)
    },
  }
}

/** Tells prepared tools from a list. */
export function isPreparedTools(tools: unknown): tools is PreparedTools {
  return typeof tools === 'object' && tools !== null && 'find' in tools && 'respond' in tools
}

/** An object that knows its own JSON form is taken at its word, as the seed does with models. */
function toPlain(tool: Tool & { readonly toJSON?: () => unknown }, at: number): Tool {
  const plain = typeof tool?.toJSON === 'function' ? (tool.toJSON() as Tool) : tool
  if (typeof plain?.name === 'string') return plain
  throw new TypeError(
    `tools[${at}] has no name; a tool is an object with name, description, inputSchema`,
  )
}

/** Gives the tools as they are now, for the sender of a request. */
export type ReadTools = (request: HttpRequest) => Maybe<PreparedTools>

/** Makes the reader of a provider: a list is prepared once, a function is called each time. */
export function createToolReader(provider: ToolsProvider, log: Logger): ReadTools {
  const warned = new Set<string>()
  const prepare = (tools: unknown): PreparedTools => {
    if (isPreparedTools(tools)) return tools
    if (!Array.isArray(tools)) {
      throw new TypeError('tools must be an array, or a function that returns one')
    }
    return prepareTools(tools, (tool) => {
      if (warned.has(tool)) return
      warned.add(tool)
      log.warn('two tools share a name; the last one answers', { tool })
    })
  }
  if (typeof provider === 'function') {
    return () => andThen(toMaybe<unknown>(provider()), prepare)
  }
  if (Array.isArray(provider)) return createListReader(provider, prepare)
  const prepared = prepare(provider)
  return () => prepared
}

/** The list stays the caller's: a tool added to it, removed or exchanged shows in the next answer. */
function createListReader(
  list: readonly Tool[],
  prepare: (tools: readonly Tool[]) => PreparedTools,
): ReadTools {
  let seen = [...list]
  let prepared = prepare(seen)
  return () => {
    if (!holdsSame(seen, list)) {
      seen = [...list]
      prepared = prepare(seen)
    }
    return prepared
  }
}

/** Runs on every request over every tool, hence a bare loop. */
function holdsSame(seen: readonly Tool[], list: readonly Tool[]): boolean {
  if (seen.length !== list.length) return false
  for (let index = 0; index < seen.length; index += 1) {
    if (seen[index] !== list[index]) return false
  }
  return true
}
