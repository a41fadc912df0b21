import type { ComponentHealth, FunctionDefinition, Logger, Registry } from '../../core/index.ts'
import { type Clock, formatTimestamp, sleep, systemClock } from '../../values/index.ts'
import { type AuthorizedFetch, createAuthorizedFetch } from './authorization.ts'
import { askClient, createCallTool } from './call.ts'
import { loadClient, type McpServerAddress, openMcpClient, type RemoteClient } from './client.ts'
import { createConnection } from './connection.ts'
import { fetchExact } from './exact-transport.ts'
import { createNamespace } from './namespace.ts'
import { createOffers, type McpOffers } from './offers.ts'
import type { McpPins } from './pins.ts'
import { createRemoteQuestions } from './questions.ts'
import type { McpToolSelection } from './selection.ts'
import { createSourceTools } from './source-tools.ts'

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
  /** Where approved tools are remembered: one that is new or has changed is withheld until it is approved. */
  readonly pins?: McpPins
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
  /** Its resources and prompts, as options of the MCP surface: `serve(service, { mcp: files.offers })`. */
  readonly offers: McpOffers
  readonly close: () => Promise<void>
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/
const LONGEST_LISTING_MS = 5_000
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
  const tools = createSourceTools(
    { name, trusted, log, selection: options.tools, pins: options.pins },
    (...asked) => call(...asked),
  )
  const authorizedFetch = createFetch(options, log)
  const connection = createConnection<RemoteClient>({
    name,
    clock,
    timeoutMs: options.connectTimeoutMs ?? 60_000,
    random: options.random ?? Math.random,
    open: (onClose, signal) =>
      openMcpClient(options, {
        revision: options.revision ?? 'auto',
        onTools: tools.update,
        onOffers: () => void connection.client().then(offers.load, () => undefined),
        onResource: (uri) => offers.update(uri),
        onSkipped: tools.skip,
        onQuestion: options.questions === false ? undefined : questions.answer,
        fetch: authorizedFetch,
        onClose,
        signal,
        onError: (error) => log.warn(`the MCP server ${name} reported an error`, { error }),
      }),
    async onOpen(client) {
      tools.restart()
      const loading = offers.load(client)
      tools.update((await client.listTools(undefined, { cacheMode: 'refresh' })).tools)
      // Tools do not wait long for a server that is slow to list the rest, which joins when it comes.
      await withinMs(loading, LONGEST_LISTING_MS)
      offers.resume(client)
    },
    onFailure: (error, retryMs) =>
      log.warn(`the MCP server ${name} cannot be reached; next attempt in ${retryMs} ms`, {
        error,
      }),
  })
  const namespace = createNamespace(name)
  const timeoutMs = options.timeoutMs ?? 600_000
  const { call, counts } = createCallTool(connection, {
    name,
    clock,
    timeoutMs,
    questions,
    namespace,
  })
  const offers = createOffers({
    name,
    trusted,
    log,
    namespace,
    ask: (work) => askClient(connection, name, undefined, work),
    views: tools.views,
  })

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
      tools: tools.functions().length,
      skipped: tools.skipped(),
      ...counts(),
    }
  }
  return {
    name,
    status,
    check: () => toHealth(status()),
    functions: tools.functions,
    follow: tools.follow,
    offers: offers.offers,
    close() {
      tools.close()
      return connection.close()
    },
  }
}

function createFetch(options: McpSourceOptions, log: Logger): AuthorizedFetch | undefined {
  if (!('url' in options) || options.auth === undefined) return undefined
  const { url, name, auth } = options
  return createAuthorizedFetch(auth, { url, name, log, load: loadClient, fetch: fetchExact })
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
    await withinMs(settled, startTimeoutMs)
  }
}

/** Waits for something, but not longer than this. */
async function withinMs(work: Promise<unknown>, ms: number): Promise<void> {
  const waiting = new AbortController()
  await Promise.race([work, sleep(ms, waiting.signal)]).finally(() => waiting.abort())
}

function isMissingPackage(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof TypeError
}

function toHealth(status: McpSourceStatus): ComponentHealth {
  const { state, reason, retryMs, skipped } = status
  if (state === 'connecting') return { status: 'degraded', message: 'Not connected yet' }
  if (state === 'unreachable') {
    return {
      status: 'degraded',
      message: `Cannot be reached: ${reason}; the next attempt is ${retryMs} ms after the last`,
    }
  }
  const left = Object.keys(skipped)
  const { tools, calls, failures, averageMs } = status
  const counts = `${tools} tools, ${calls} calls, ${failures} failed`
  return {
    status: 'healthy',
    message: [
      averageMs === undefined ? counts : `${counts}, ${averageMs} ms on average`,
      ...(left.length === 0 ? [] : [`Tools that are not offered: ${left.slice(0, 10).join(', ')}`]),
    ].join('. '),
  }
}
