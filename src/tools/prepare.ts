import type { HttpRequest } from '../wire/http.ts'
import { type Content, prepareJson } from './content.ts'
import { toSummary } from './encode.ts'
import type { PreparedTools, Tool } from './tool.ts'

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
