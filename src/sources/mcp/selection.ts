import type { RemoteTool } from './client.ts'

/** Which tools of a server are taken over, and how they are called here. `*` in a name stands for anything. */
export interface McpToolSelection {
  /** Only these; all when absent. */
  readonly allow?: readonly string[]
  /** Never these. */
  readonly deny?: readonly string[]
  /** Other names for tools: `{ read_text_file: 'read' }`. */
  readonly rename?: Readonly<Record<string, string>>
}

/** Leaves out the tools that were not selected. */
export function selectTools(
  tools: readonly RemoteTool[],
  { allow, deny = [] }: McpToolSelection = {},
): readonly RemoteTool[] {
  return tools.filter(
    ({ name }) =>
      (allow === undefined || allow.some((pattern) => matches(pattern, name))) &&
      !deny.some((pattern) => matches(pattern, name)),
  )
}

/** Reads `*` from the left, each piece at its first place: linear, whatever a server calls its tools. */
function matches(pattern: string, name: string): boolean {
  const [head = '', ...pieces] = pattern.split('*')
  if (!name.startsWith(head)) return false
  const tail = pieces.pop()
  if (tail === undefined) return name === head
  let at = head.length
  for (const piece of pieces) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.length - tail.length >= at && name.endsWith(tail)
}
