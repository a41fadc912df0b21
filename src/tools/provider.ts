import { andThen, type Maybe, toMaybe } from '../core/maybe.ts'
import type { Logger } from '../core/service.ts'
import { isPreparedTools, prepareTools } from './prepare.ts'
import type { PreparedTools, Tool, ToolsProvider } from './tool.ts'

/** Gives the tools as they are now. */
export type ReadTools = () => Maybe<PreparedTools>

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
