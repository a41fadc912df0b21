/** Separators by the number of underscores that stand for them; `orders.items_list` reads `orders__items_list`. */
const SEPARATORS = ['_', '.', ':', '/'] as const
const PLAIN = /^[a-zA-Z0-9-]+(?:[_.:/][a-zA-Z0-9-]+)*$/
const PLAIN_TOOL = /^[a-zA-Z0-9-]+(?:_{1,4}[a-zA-Z0-9-]+)*$/

/** What agent clients accept as the length of a tool name. */
export const MAX_TOOL_NAME = 64

/** Spells a function name out as a tool name; undefined when it is too long or too exotic for that. */
export function spellName(functionName: string): string | undefined {
  if (!PLAIN.test(functionName)) return undefined
  const spelled = functionName.replace(/[_.:/]/g, spellSeparator)
  return spelled.length <= MAX_TOOL_NAME ? spelled : undefined
}

/** Reads the function name out of a tool name; undefined when the tool name holds a digest. */
export function fromToolName(toolName: string): string | undefined {
  if (toolName.length > MAX_TOOL_NAME || !PLAIN_TOOL.test(toolName)) return undefined
  return toolName.replace(/_+/g, (run) => SEPARATORS[run.length - 1] ?? run)
}

function spellSeparator(separator: string): string {
  return '_'.repeat(SEPARATORS.indexOf(separator as (typeof SEPARATORS)[number]) + 1)
}
