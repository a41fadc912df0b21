import type { Principal } from '../../core/index.ts'
import type { JsonObject, Maybe } from '../../values/index.ts'

/** The stateless revision: every request says who asks and what the client can do. */
export const MODERN_VERSION = '2026-07-28'

/** The revisions that start with `initialize`, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
]

/** The only revision whose clients send several messages as one. */
export const BATCH_VERSION = '2025-03-26'

/** The only revision with sessions whose clients come back when a stream was interrupted on purpose. */
export const POLLING_VERSION = '2025-11-25'

/** What a client speaks that has sessions and never says which revision. */
export const UNSPOKEN_VERSION = '2025-03-26'

/** Every revision a client may speak. */
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS]

/** The only revision with sessions in which clients ask for a task themselves. */
export const TASKS_VERSION = '2025-11-25'

/** Revisions before and since the protocol became stateless. */
export type Era = 'legacy' | 'modern'

/** What a request is answered under. */
export type RequestId = string | number

/** What a client can do for the server while a request runs. */
export interface ClientCapabilities {
  readonly elicitation?: JsonObject
  readonly sampling?: JsonObject
  readonly roots?: JsonObject
  readonly extensions?: Readonly<Record<string, JsonObject>>
  readonly [name: string]: unknown
}

/** The capabilities of a client that are looked at, and all that a session keeps of them. */
export const USED_CAPABILITIES = ['elicitation', 'sampling', 'roots'] as const

/** Keys of `_meta` that the protocol defines. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const

/** Keys of `_meta` that carry what MCP has no member for. */
export const OWN_META = {
  function: 'waymark/function',
  version: 'waymark/version',
  source: 'waymark/source',
  scopes: 'waymark/scopes',
  extensions: 'waymark/extensions',
  errors: 'waymark/errors',
  item: 'waymark/item',
} as const

/** Name of the extension that lets a call go on after its request was answered. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** Severities of log lines, lowest first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const

/** Severity of a log line. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Tells whether a value is a severity. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.includes(value as LogLevel)
}

/** One request of a client while it is answered: what it says, and the way back. */
export interface McpExchange {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly era: Era
  /** The revision that client and server agreed on. */
  readonly version: string
  readonly capabilities: ClientCapabilities
  /** How the client calls itself; nobody checks it. */
  readonly caller: string | undefined
  readonly principal: Principal | undefined
  /** Gives the name under which memory and budgets of this caller are counted. */
  readonly callerKey: () => string
  /** On the clock that never jumps. */
  readonly startedAt: number
  /** Aborts when the client cancels the request or goes away. */
  readonly signal: () => AbortSignal
  /** Sends a notification that belongs to this request; gives a promise while the client reads slowly. */
  readonly notify: (method: string, params: JsonObject) => Maybe<void>
  /** Sends the client a request of its own and waits for the answer; absent where the protocol has no way. */
  readonly request: Asking | undefined
  /** Lets the client go until it comes back for the rest of the answer; absent where it would not. */
  readonly release: (() => void) | undefined
  /** What outlives this request; absent in stateless exchanges. */
  readonly peer: Peer | undefined
}

/** Sends the client a request and gives its result. */
export type Asking = (method: string, params: JsonObject, signal: AbortSignal) => Promise<unknown>

/** The client at the other end of a session or a pipe, as far as requests depend on one another. */
export interface Peer {
  /** Lowest severity of log lines it wants. */
  logLevel: LogLevel
  /** Resources it wants to hear about. */
  readonly followed: Followed
}

/** Resources that one client wants to hear about: a bounded number, in bounded bytes. */
export interface Followed {
  /** Adds one, which `follow` is told of; false when there is no room. */
  readonly add: (uri: string, follow: (uri: string) => () => void) => boolean
  readonly delete: (uri: string) => void
  readonly has: (uri: string) => boolean
  readonly clear: () => void
}

/** JSON of a result, as text or as the bytes that will be sent. */
export type Encoded = string | Uint8Array

/** Answers one kind of request. */
export type McpMethod = (exchange: McpExchange) => Maybe<Encoded>

/** Methods by name. */
export type Methods = Readonly<Record<string, McpMethod>>
