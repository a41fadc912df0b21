import type { FunctionDefinition, Logger, Registry } from '../../core/index.ts'
import { toReason } from '../../values/index.ts'
import type { CallTool } from './call.ts'
import type { RemoteTool } from './client.ts'
import { readUiResource } from './namespace.ts'
import { createJudge, type McpPins } from './pins.ts'
import { type McpToolSelection, selectTools } from './selection.ts'
import { toToolFunctions } from './tool-function.ts'

/** The tools of one server, as they are now. */
export interface SourceTools {
  readonly functions: () => readonly FunctionDefinition[]
  /** Tools that are not offered, with the reason. */
  readonly skipped: () => Readonly<Record<string, string>>
  /** Views of MCP Apps that tools name. */
  readonly views: () => ReadonlySet<string>
  readonly skip: (tool: string, reason: string) => void
  /** Forgets what was skipped: a new connection lists again. */
  readonly restart: () => void
  /** Takes a new list. */
  readonly update: (tools: readonly RemoteTool[]) => void
  /** Keeps a registry in step; returns what stops it. */
  readonly follow: (registry: Registry) => () => void
  readonly close: () => void
}

/** How the tools of one server are taken over. */
export interface SourceToolsOptions {
  readonly name: string
  readonly trusted: boolean
  readonly log: Logger
  readonly selection: McpToolSelection | undefined
  readonly pins: McpPins | undefined
}

/** Creates what makes functions of a server's tools whenever it lists them. */
export function createSourceTools(
  { name, trusted, log, selection, pins }: SourceToolsOptions,
  call: CallTool,
): SourceTools {
  const listeners = new Set<() => void>()
  const skipped = new Map<string, string>()
  let functions: readonly FunctionDefinition[] = []
  let views: ReadonlySet<string> = new Set()
  let listed: readonly RemoteTool[] | undefined
  let withheld: ReadonlyMap<string, string> = new Map()
  const judge = createJudge(name, log, pins)
  const skip = (tool: string, reason: string) => {
    skipped.set(tool, reason)
    log.warn(`a tool of the MCP server ${name} is skipped: ${reason}`, { tool })
  }
  function update(tools: readonly RemoteTool[]): void {
    listed = tools
    for (const tool of withheld.keys()) skipped.delete(tool)
    const judged = judge(selectTools(tools, selection))
    withheld = judged.withheld
    for (const [tool, reason] of withheld) skip(tool, reason)
    views = new Set(judged.kept.flatMap(({ _meta }) => readUiResource(_meta) ?? []))
    functions = toToolFunctions(judged.kept, {
      name,
      trusted,
      call,
      rename: selection?.rename ?? {},
      skip,
      warn: (message, facts) => log.warn(message, facts),
    })
    for (const listener of [...listeners]) listener()
  }
  const stop = pins?.onChange?.(() => listed && update(listed))

  return {
    functions: () => functions,
    skipped: () => Object.fromEntries(skipped),
    views: () => views,
    skip,
    restart: () => skipped.clear(),
    update,
    close: () => stop?.(),
    follow(registry) {
      const listener = createFollower(
        registry,
        () => functions,
        (definition, error) => skip(definition.name, toReason(error)),
      )
      listeners.add(listener)
      listener()
      return () => listeners.delete(listener)
    },
  }
}

/** Creates what brings a registry in step with the functions as they are. */
function createFollower(
  registry: Registry,
  functions: () => readonly FunctionDefinition[],
  onRefused: (definition: FunctionDefinition, error: unknown) => void,
): () => void {
  let applied: readonly FunctionDefinition[] = functions().filter(
    ({ name }) => registry.find(name) !== undefined,
  )
  return () => {
    applied = replaceFunctions(registry, applied, functions(), onRefused)
  }
}

/**
 * Brings a registry in step; functions that did not change are left alone, so their prepared parts stay. One that the
 * registry refuses, because another source has its name, costs only itself.
 */
function replaceFunctions(
  registry: Registry,
  before: readonly FunctionDefinition[],
  now: readonly FunctionDefinition[],
  onRefused: (definition: FunctionDefinition, error: unknown) => void,
): readonly FunctionDefinition[] {
  const wanted = new Map(now.map((definition) => [definition.name, definition]))
  const applied: FunctionDefinition[] = []
  for (const definition of before) {
    const next = wanted.get(definition.name)
    if (next !== undefined && isSame(next, definition)) {
      wanted.delete(definition.name)
      applied.push(next)
    } else registry.remove(definition.name)
  }
  for (const definition of wanted.values()) {
    try {
      registry.add(definition)
      applied.push(definition)
    } catch (thrown) {
      onRefused(definition, thrown)
    }
  }
  return applied
}

function isSame(left: FunctionDefinition, right: FunctionDefinition): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
