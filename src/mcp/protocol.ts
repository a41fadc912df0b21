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

/** Every revision a client may speak. */
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS]

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

/** Keys of `_meta` that the protocol defines. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscription: 'io.modelcontextprotocol/subscriptionId',
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
