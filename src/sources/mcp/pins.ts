import { createHash } from 'node:crypto'
import type { Logger } from '../../core/index.ts'
import { toCanonicalJson } from '../../values/index.ts'
import type { RemoteTool } from './client.ts'

/** What is known of the tools of one server: a hash of each, by its name. */
export interface McpSourcePins {
  /** Tools that may be offered as long as they stay what they are. */
  readonly approved: Readonly<Record<string, string>>
  /** Tools that are new or have changed, and wait for somebody to look at them. */
  readonly pending: Readonly<Record<string, string>>
}

/** Where approved tools of remote servers are remembered. */
export interface McpPins {
  /** Undefined for a server that was never seen: its tools are approved as they are. */
  readonly read: (source: string) => McpSourcePins | undefined
  readonly write: (source: string, pins: McpSourcePins) => void
  /** Calls back when somebody has approved something; returns what stops it. */
  readonly onChange?: (listener: () => void) => () => void
}

/** Judges the tools of one server whenever it lists them. */
export type JudgeTools = (tools: readonly RemoteTool[]) => {
  readonly kept: readonly RemoteTool[]
  /** Names of tools that are withheld, with the reason. */
  readonly withheld: ReadonlyMap<string, string>
}

/** Creates the judge of one server. A tool that changes while it is in use is reported, with or without pins. */
export function createJudge(name: string, log: Logger, pins: McpPins | undefined): JudgeTools {
  const seen = new Map<string, string>()
  return (tools) => {
    const hashes = new Map(tools.map((tool) => [tool.name, hashTool(tool)]))
    for (const [tool, hash] of hashes) {
      if ((seen.get(tool) ?? hash) !== hash) {
        log.warn(`the tool ${tool} of the MCP server ${name} has changed what it says of itself`, {
          tool,
          server: name,
        })
      }
      seen.set(tool, hash)
    }
    const known = pins?.read(name)
    if (known === undefined) {
      if (tools.length > 0) pins?.write(name, { approved: Object.fromEntries(hashes), pending: {} })
      return { kept: tools, withheld: new Map() }
    }
    const withheld = new Map(
      [...hashes].flatMap(([tool, hash]): readonly (readonly [string, string])[] => {
        if (!Object.hasOwn(known.approved, tool)) return [[tool, 'it is new and not approved yet']]
        return known.approved[tool] === hash ? [] : [[tool, 'it has changed since it was approved']]
      }),
    )
    const pending = Object.fromEntries([...hashes].filter(([tool]) => withheld.has(tool)))
    if (toCanonicalJson(pending) !== toCanonicalJson(known.pending)) {
      pins?.write(name, { ...known, pending })
    }
    return { kept: tools.filter((tool) => !withheld.has(tool.name)), withheld }
  }
}

/** Everything by which a model chooses a tool and fills in its arguments. */
function hashTool({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: RemoteTool): string {
  const text = toCanonicalJson({ title, description, inputSchema, outputSchema, annotations })
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}
