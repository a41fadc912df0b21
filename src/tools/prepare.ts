import type { HttpRequest } from '../wire/http.ts'
import { type Content, prepareContent } from './content.ts'
import { toSummary } from './encode.ts'
import type { PreparedTools, Tool } from './tool.ts'

const LIST_HEADERS = {
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/**
 * Reads a list of tools once: its bytes, its ETag, its names, each when first needed. A function that hands out the same
 * prepared tools for as long as they hold spares every request the work.
 */
export function prepareTools(tools: readonly Tool[]): PreparedTools {
  let byName: Map<string, Tool> | undefined
  let content: Content | undefined
  return {
    find(name) {
      byName ??= new Map(tools.map(toPlain).map((tool) => [tool.name, tool]))
      return byName.get(name)
    },
    respond(request: HttpRequest) {
      content ??= prepareContent(JSON.stringify(tools.map(toPlain).map(toSummary)), LIST_HEADERS)
      return content.respond(request)
    },
  }
}

/** Tells prepared tools from a list. */
export function isPreparedTools(tools: unknown): tools is PreparedTools {
  return typeof tools === 'object' && tools !== null && 'find' in tools && 'respond' in tools
}

/** An object that knows its own JSON form is taken at its word, as the seed does with models. */
function toPlain(tool: Tool & { readonly toJSON?: unknown }): Tool {
  return typeof tool.toJSON === 'function' ? (tool.toJSON() as Tool) : tool
}
