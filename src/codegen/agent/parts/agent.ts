/*
 * The parts in this folder are copied into agent projects as they are (folder `lib`), so they import
 * nothing but Node, one another, and core/exact-json.ts, which is copied along.
 */

import { inspect } from 'node:util'

/** A tool as the capabilities files list it. */
export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly parameters: object
  readonly annotations?: object
  readonly handler: (args: unknown, context?: { readonly signal?: AbortSignal }) => Promise<unknown>
}

/** What a trigger hands to its code. */
export interface AgentEvent {
  readonly id: string
  readonly trigger: string
  readonly type: AgentTrigger['type']
  readonly event?: string
  readonly received_at: string
  readonly payload: unknown
  readonly meta: Readonly<Record<string, unknown>>
  /** Aborts when the run has taken too long. */
  readonly signal: AbortSignal
}

/** A trigger as the triggers files list it. */
export interface AgentTrigger {
  readonly type: 'webhook' | 'schedule' | 'emit' | 'queue' | 'file'
  readonly name: string
  readonly description: string
  readonly prompt?: string
  readonly payload_map?: Readonly<Record<string, string>>
  readonly tool?: string
  /** Version of the tool. */
  readonly version?: string
  /** What the event does not give. */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** How often an event is tried; 5 when absent. */
  readonly attempts?: number
  /** How long one run may take; a minute when absent. */
  readonly timeout?: { readonly value: number; readonly unit: string }
  /** Runs at the same time; 10 when absent. */
  readonly concurrency?: number
  readonly path?: string
  readonly event?: string
  readonly secret_env?: string
  readonly signature?: string | { readonly scheme: string; readonly header?: string }
  readonly wait?: boolean
  readonly challenge?: 'meta' | 'twitter'
  readonly verify_env?: string
  readonly cron?: string
  readonly timezone?: string
  readonly overlap?: 'skip' | 'queue' | 'allow'
  /** Whether one run makes up for those missed while the machine slept. */
  readonly catch_up?: 'none' | 'one'
  /** Each run is late by a random part of it. */
  readonly jitter?: { readonly value: number; readonly unit: string }
  readonly queue_url?: string
  readonly queue_env?: string
  readonly watch_path?: string
  readonly events?: readonly ('create' | 'modify' | 'delete')[]
  readonly handler: (event: AgentEvent) => Promise<unknown>
}

/** What makes an agent. */
export interface AgentOptions {
  readonly name: string
  readonly description: string
  readonly tools: readonly AgentTool[]
  readonly triggers: readonly AgentTrigger[]
  readonly host: string
  readonly port: number
  /** Callers must send it as a bearer token; without one only this machine may call. */
  readonly token?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: (line: string) => void
}

/** A request, read. */
export interface AgentRequest {
  readonly method: string
  readonly path: string
  /** What follows the question mark, or an empty string. */
  readonly query: string
  readonly header: (name: string) => string
  readonly body: string
}

/** An answer to a request. */
export interface AgentReply {
  readonly status: number
  /** Sent as JSON; nothing is sent when undefined. */
  readonly body?: unknown
  /** Sent as plain text instead. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Says what went wrong with a tool, without what only the log may know. */
export function describeFailure(thrown: unknown): {
  readonly status: number
  readonly reason: string
  readonly message: string
} {
  const { reason, message } = toFacts(thrown)
  if (typeof reason !== 'string' || typeof message !== 'string') {
    return { status: 500, reason: 'internal', message: 'the tool failed' }
  }
  const statuses: Record<string, number> = { arguments: 400, setup: 503, timeout: 504 }
  return { status: statuses[reason] ?? 502, reason, message }
}

/** What a failure may tell besides being one. */
export interface FailureFacts {
  readonly reason?: unknown
  readonly message?: unknown
  readonly status?: unknown
  readonly retry_after?: unknown
}

/** Looks at what was thrown as a failure; a tool may throw anything. */
export function toFacts(thrown: unknown): FailureFacts {
  return typeof thrown === 'object' && thrown !== null ? thrown : {}
}

/** Writes what was thrown as text for the log. */
export function toLogText(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : inspect(thrown)
}
