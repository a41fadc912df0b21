import type { ComponentHealth, FunctionDefinition, Logger, Registry } from '../../core/index.ts'
import { type Clock, formatTimestamp, sleep, systemClock, toReason } from '../../values/index.ts'
import { createCallTool } from './call.ts'
import {
  type McpServerAddress,
  openMcpClient,
  type RemoteClient,
  type RemoteTool,
} from './client.ts'
import { createConnection } from './connection.ts'
import { createRemoteQuestions } from './questions.ts'
import { type McpToolSelection, selectTools } from './selection.ts'
import { toToolFunctions } from './tool-function.ts'

/** Which MCP server becomes a source, and how far it is trusted. */
export type McpSourceOptions = McpServerAddress & {
  /** First part of every function name; letters, digits, `_` and `-`. */
  readonly name: string
  /** Takes descriptions and hints of the server for true; false when absent. */
  readonly trusted?: boolean
  /** Which tools are taken over, and under which names; all when absent. */
  readonly tools?: McpToolSelection
  /** Milliseconds a call may take without progress when it has no deadline; ten minutes when absent. */
  readonly timeoutMs?: number
  /** Milliseconds that one attempt to connect may take; 60000 when absent. */
  readonly connectTimeoutMs?: number
  /** Milliseconds that `connectMcpSource` waits for the first attempt, which then goes on by itself; 10000 when absent. */
  readonly startTimeoutMs?: number
  /** Throws when the first attempt fails, instead of trying again; false when absent. */
  readonly required?: boolean
  /** `legacy` skips asking the server for the newest revision, which starts a program twice; `auto` when absent. */
  readonly revision?: 'auto' | 'legacy'
  /** Passes questions of the server on to the user of an agent that calls; true when absent. */
  readonly questions?: boolean
  readonly log?: Logger
  readonly clock?: Clock
  readonly random?: () => number
}

/** How an MCP server does, and what was asked of it. */
export interface McpSourceStatus {
  readonly state: 'connecting' | 'connected' | 'unreachable'
  /** RFC 3339; since when it is so. */
  readonly since: string
  /** Why it cannot be reached. */
  readonly reason?: string
  /** Milliseconds between the last attempt and the next one. */
  readonly retryMs?: number
  readonly tools: number
  /** Tools that are not offered, with the reason. */
  readonly skipped: Readonly<Record<string, string>>
  readonly calls: number
  readonly failures: number
  /** Milliseconds that a call took on average. */
  readonly averageMs?: number
}

/** An MCP server whose tools are functions. */
export interface McpSource {
  readonly name: string
  readonly status: () => McpSourceStatus
  /** How the server does, as a component of a service: `createService({ health: { files } })`. */
  readonly check: () => ComponentHealth
  /** The tools as they are now. */
  readonly functions: () => readonly FunctionDefinition[]
  /** Adds, replaces and removes functions when the server's tools change; returns what stops it. */
  readonly follow: (registry: Registry) => () => void
  readonly close: () => Promise<void>
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/
const SILENT: Logger = { warn: () => undefined, error: () => undefined }

/**
 * Connects to an MCP server and makes functions of its tools. A server that cannot be reached has none until it can: it is
 * tried again for as long as the source is open, and `follow` adds its functions then.
 */
export async function connectMcpSource(options: McpSourceOptions): Promise<McpSource> {
  const { name, trusted = false, log = SILENT, clock = systemClock } = options
  if (!NAME.test(name)) {
    throw new TypeError(
      `"${name}" cannot begin function names; use letters, digits, _ and -, a letter first`,
    )
  }
  const questions = createRemoteQuestions({ name, trusted, wanted: options.questions !== false })
  const listeners = new Set<() => void>()
  const skipped = new Map<string, string>()
  let functions: readonly FunctionDefinition[] = []
  const skip = (tool: string, reason: string) => {
    skipped.set(tool, reason)
    log.warn(`a tool of the MCP server ${name} is skipped: ${reason}`, { tool })
  }

  const connection = createConnection<RemoteClient>({
    name,
    clock,
    timeoutMs: options.connectTimeoutMs ?? 60_000,
    random: options.random ?? Math.random,
    open: (onClose, signal) =>
      openMcpClient(options, {
        revision: options.revision ?? 'auto',
        onTools: update,
        onSkipped: skip,
        onQuestion: options.questions === false ? undefined : questions.answer,
        onClose,
        signal,
        onError: (error) => log.warn(`the MCP server ${name} reported an error`, { error }),
      }),
    async onOpen(client) {
      skipped.clear()
      update((await client.listTools(undefined, { cacheMode: 'refresh' })).tools)
    },
    onFailure: (error, retryMs) =>
      log.warn(`the MCP server ${name} cannot be reached; next attempt in ${retryMs} ms`, {
        error,
      }),
  })
  const { call, counts } = createCallTool(connection, {
    name,
    clock,
    timeoutMs: options.timeoutMs ?? 600_000,
    questions,
  })

  function update(tools: readonly RemoteTool[]): void {
    functions = toToolFunctions(selectTools(tools, options.tools), {
      name,
      trusted,
      call,
      rename: options.tools?.rename ?? {},
      skip,
      warn: (message, facts) => log.warn(message, facts),
    })
    for (const listener of [...listeners]) listener()
  }

  await openFirst(connection.client(), options).catch(async (thrown: unknown) => {
    await connection.close()
    throw thrown
  })
  const status = (): McpSourceStatus => {
    const { status: state, since, ...why } = connection.state()
    return {
      state,
      since: formatTimestamp(since),
      ...why,
      tools: functions.length,
      skipped: Object.fromEntries(skipped),
      ...counts(),
    }
  }
  return {
    name,
    status,
    check: () => toHealth(status()),
    functions: () => functions,
    follow(registry) {
      let applied: readonly FunctionDefinition[] = functions.filter(
        ({ name: known }) => registry.find(known) !== undefined,
      )
      const listener = () => {
        applied = replaceFunctions(registry, applied, functions, (definition, error) =>
          skip(definition.name, toReason(error)),
        )
      }
      listeners.add(listener)
      listener()
      return () => listeners.delete(listener)
    },
    close: connection.close,
  }
}

/** Waits for the first attempt; only a source that is required fails with it, and one that can never work. */
async function openFirst(
  attempt: Promise<unknown>,
  { required = false, startTimeoutMs = 10_000 }: McpSourceOptions,
): Promise<void> {
  const settled = attempt.catch((thrown: unknown) => {
    if (required || isMissingPackage(thrown)) throw thrown
  })
  if (required) await settled
  else {
    // What fails later than that is tried again, and told by `status`.
    settled.catch(() => undefined)
    const waiting = new AbortController()
    await Promise.race([settled, sleep(startTimeoutMs, waiting.signal)])
    waiting.abort()
  }
}

function isMissingPackage(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof TypeError
}

function toHealth({ state, reason, retryMs, skipped }: McpSourceStatus): ComponentHealth {
  if (state === 'connecting') return { status: 'degraded', message: 'Not connected yet' }
  if (state === 'unreachable') {
    return {
      status: 'degraded',
      message: `Cannot be reached: ${reason}; the next attempt is ${retryMs} ms after the last`,
    }
  }
  const left = Object.keys(skipped)
  return left.length === 0
    ? { status: 'healthy' }
    : { status: 'healthy', message: `Tools that are not offered: ${left.slice(0, 10).join(', ')}` }
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
    return { name: name ?? toSourceName(new URL(target).hostname.split('.')[0] ?? ''), url: target }
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
  return toSourceName(base.replace(/@[\w.-]+$/, '').replace(/\.\w+$/, ''))
}

/** Makes the first part of function names of any text. */
export function toSourceName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  return /^[A-Za-z]/.test(name) ? name : `mcp${name === '' ? '' : `_${name}`}`.slice(0, 63)
}
