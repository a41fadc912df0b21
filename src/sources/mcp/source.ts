import type { FunctionDefinition, Logger, Registry } from '../../core/index.ts'
import { type Clock, systemClock } from '../../values/index.ts'
import { createCallTool } from './call.ts'
import {
  type McpServerAddress,
  openMcpClient,
  type RemoteClient,
  type RemoteTool,
} from './client.ts'
import { createConnection } from './connection.ts'
import { createRemoteQuestions } from './questions.ts'
import { toToolFunctions } from './tool-function.ts'

/** Which MCP server becomes a source, and how far it is trusted. */
export type McpSourceOptions = McpServerAddress & {
  /** First part of every function name; letters, digits, `_` and `-`. */
  readonly name: string
  /** Takes descriptions and hints of the server for true; false when absent. */
  readonly trusted?: boolean
  /** Milliseconds a call may take without progress when it has no deadline; ten minutes when absent. */
  readonly timeoutMs?: number
  /** `legacy` skips asking the server for the newest revision, which starts a program twice; `auto` when absent. */
  readonly revision?: 'auto' | 'legacy'
  /** Passes questions of the server on to the user of an agent that calls; true when absent. */
  readonly questions?: boolean
  readonly log?: Logger
  readonly clock?: Clock
  readonly random?: () => number
}

/** An MCP server whose tools are functions. */
export interface McpSource {
  /** The tools as they are now. */
  readonly functions: () => readonly FunctionDefinition[]
  /** Adds, replaces and removes functions when the server's tools change; returns what stops it. */
  readonly follow: (registry: Registry) => () => void
  readonly close: () => Promise<void>
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/
const SILENT: Logger = { warn: () => undefined, error: () => undefined }

/** Connects to an MCP server and makes functions of its tools. */
export async function connectMcpSource(options: McpSourceOptions): Promise<McpSource> {
  const { name, trusted = false, log = SILENT, clock = systemClock } = options
  if (!NAME.test(name)) {
    throw new TypeError(
      `"${name}" cannot begin function names; use letters, digits, _ and -, a letter first`,
    )
  }
  const questions = createRemoteQuestions({ name, trusted, wanted: options.questions !== false })
  const listeners = new Set<() => void>()
  let functions: readonly FunctionDefinition[] = []

  const connection = createConnection<RemoteClient>({
    name,
    clock,
    random: options.random ?? Math.random,
    open: (onClose) =>
      openMcpClient(options, {
        revision: options.revision ?? 'auto',
        onTools: update,
        onQuestion: options.questions === false ? undefined : questions.answer,
        onClose,
        onError: (error) => log.warn(`the MCP server ${name} made trouble`, { error }),
      }),
    async onOpen(client) {
      update((await client.listTools(undefined, { cacheMode: 'refresh' })).tools)
    },
    onFailure: (error, retryMs) =>
      log.warn(`the MCP server ${name} cannot be reached; next attempt in ${retryMs} ms`, {
        error,
      }),
  })
  const call = createCallTool(connection, {
    name,
    clock,
    timeoutMs: options.timeoutMs ?? 600_000,
    questions,
  })

  function update(tools: readonly RemoteTool[]): void {
    const warn: Logger['warn'] = (message, facts) => log.warn(message, facts)
    functions = toToolFunctions(tools, { name, trusted, call, warn })
    for (const listener of [...listeners]) listener()
  }

  try {
    await connection.client()
  } catch (thrown) {
    await connection.close()
    throw thrown
  }
  return {
    functions: () => functions,
    follow(registry) {
      let applied: readonly FunctionDefinition[] = functions.filter(
        ({ name: known }) => registry.find(known) !== undefined,
      )
      const listener = () => {
        replaceFunctions(registry, applied, functions)
        applied = functions
      }
      listeners.add(listener)
      listener()
      return () => listeners.delete(listener)
    },
    close: connection.close,
  }
}

/** Brings a registry in step; functions that did not change are left alone, so their prepared parts stay. */
function replaceFunctions(
  registry: Registry,
  before: readonly FunctionDefinition[],
  now: readonly FunctionDefinition[],
): void {
  const wanted = new Map(now.map((definition) => [definition.name, definition]))
  for (const definition of before) {
    const next = wanted.get(definition.name)
    if (next !== undefined && isSame(next, definition)) wanted.delete(definition.name)
    else registry.remove(definition.name)
  }
  for (const definition of wanted.values()) registry.add(definition)
}

function isSame(left: FunctionDefinition, right: FunctionDefinition): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

const REFERENCE = /^mcp(?:\+([A-Za-z][A-Za-z0-9_-]{0,62}))?:(.+)$/s
const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pnpx', 'node', 'bun', 'deno', 'python', 'python3'])
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g

/**
 * Reads an MCP server as a command line names it: `mcp:https://host/mcp`, `mcp:npx -y some-server`, or with a name for
 * its functions `mcp+files:npx -y some-server`. Undefined when the text names something else.
 */
export function parseMcpReference(text: string): McpSourceOptions | undefined {
  const [, name, target = ''] = REFERENCE.exec(text) ?? []
  if (target === '') return undefined
  if (/^https?:\/\//.test(target)) {
    if (!URL.canParse(target)) throw new TypeError(`"${target}" is not a URL`)
    return { name: name ?? toName(new URL(target).hostname.split('.')[0] ?? ''), url: target }
  }
  const [command = '', ...args] = splitWords(target)
  return { name: name ?? nameOfCommand([command, ...args]), command, args }
}

function splitWords(text: string): readonly string[] {
  return [...text.matchAll(WORD)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

/** The program itself, not what runs it: `server-files` of `npx -y @acme/server-files /tmp`. */
function nameOfCommand(words: readonly string[]): string {
  const program = words.find((word) => !RUNNERS.has(word) && !word.startsWith('-')) ?? ''
  const base = program.split(/[\\/]/).at(-1) ?? ''
  return toName(base.replace(/@[\w.-]+$/, '').replace(/\.\w+$/, ''))
}

function toName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  return /^[A-Za-z]/.test(name) ? name : `mcp${name === '' ? '' : `_${name}`}`.slice(0, 63)
}
