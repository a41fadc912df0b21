import { type Clock, sleep, systemClock } from '../values/index.ts'
import { type RetryPolicy, resolvePolicy } from './retry.ts'
import type { CallSettings } from './run-call.ts'
import { createFetchTransport, type FetchTransportOptions, type Transport } from './transport.ts'

/** Makes a random id of lower-case hexadecimal digits. */
export function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return Array.from(values, (value) => value.toString(16).padStart(2, '0')).join('')
}

/** Makes the id of an attempt; pages without a secure context have no randomUUID. */
export function randomRequestId(): string {
  return `req_${'randomUUID' in crypto ? crypto.randomUUID() : randomHex(16)}`
}

/** What a client needs besides a way to the service. */
export interface ClientBaseOptions {
  /** The calling service's own name: `context.caller` of every call. */
  readonly name?: string
  /** What the called service is called in errors; the host of the URL when absent. */
  readonly target?: string
  /** How failed attempts are repeated; false never repeats. */
  readonly retry?: Partial<RetryPolicy> | false
  /** Milliseconds to wait for one answer when a call has no deadline; 30000 when absent. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  /** Waits between attempts; returns early when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** A number from 0 up to 1, for the jitter between attempts. */
  readonly random?: () => number
  /** Makes the id of an attempt; must not repeat itself. */
  readonly createId?: () => string
  /** Makes the span id of an attempt that is part of a trace. */
  readonly createSpanId?: () => string
}

/** A client is made from a URL, or from a transport. */
export type ClientOptions = ClientBaseOptions &
  (
    | (FetchTransportOptions & { readonly transport?: never })
    | { readonly transport: Transport; readonly url?: never }
  )

/** Completes what a client was told with what is usual. */
export function resolveSettings(options: ClientOptions): CallSettings {
  return {
    transport: options.transport ?? createFetchTransport(options),
    name: options.name,
    timeoutMs: options.timeoutMs ?? 30_000,
    retry: resolvePolicy(options.retry),
    clock: options.clock ?? systemClock,
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
    createId: options.createId ?? randomRequestId,
    createSpanId: options.createSpanId ?? (() => randomHex(8)),
  }
}
