import type { JsonObject } from '../core/json.ts'

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
  idempotencyKey: 'waymark/idempotency-key',
  deadline: 'waymark/deadline',
  dryRun: 'waymark/dry-run',
  extensions: 'waymark/extensions',
  errors: 'waymark/errors',
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
