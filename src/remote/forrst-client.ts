import type { Call, ReplyEntry } from '../core/call.ts'
import type { CallErrorShape } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'

/** The members of a client of `waymark/client` that a remote service is reached through. */
export interface ForrstClient {
  readonly call: (
    name: string,
    callArguments: JsonObject,
    options: ForrstCallOptions,
  ) => Promise<ForrstOutcome>
  readonly stream: (
    name: string,
    callArguments: JsonObject,
    options: ForrstStreamOptions,
  ) => ForrstStream
  readonly discover: (options?: {
    readonly signal?: AbortSignal
    readonly retry?: false
  }) => Promise<ForrstOutcome>
  readonly supports: (urn: string) => Promise<boolean>
}

/** How one call is passed on. */
export interface ForrstCallOptions {
  readonly version?: string
  /** The call being served: its context, trace, signal and what is left of its deadline travel on. */
  readonly within?: Pick<Call, 'context' | 'facts' | 'signal'>
  /** True when the call may be repeated without doing anything twice. */
  readonly readOnly?: boolean
  readonly idempotencyKey?: string
  readonly extensions?: readonly {
    readonly urn: string
    readonly options?: JsonObject
    readonly required?: boolean
  }[]
  readonly timeoutMs?: number
  readonly retry?: false
}

/** How one call is passed on whose items are read as they come; `timeoutMs` is the longest silence. */
export interface ForrstStreamOptions extends ForrstCallOptions {
  readonly onProgress?: (progress: { readonly percent: number; readonly message?: string }) => void
  /** How many characters one event may have. */
  readonly maxEventLength?: number
}

/** The items of a streamed call; throws a CallError when the call fails, and leaving the loop ends it. */
export interface ForrstStream extends AsyncIterable<unknown> {
  /** Gives what comes after the last item. */
  readonly result: () => Promise<unknown>
}

/** What a call came to, as far as it is passed on. */
export type ForrstOutcome =
  | { readonly ok: true; readonly result: unknown; readonly extensions: readonly ReplyEntry[] }
  | ForrstFailure

/** A call that failed. */
export interface ForrstFailure {
  readonly ok: false
  readonly errors: readonly [CallErrorShape, ...CallErrorShape[]]
  readonly extensions: readonly ReplyEntry[]
  /** HTTP status of the answer; absent when there was none. */
  readonly status?: number | undefined
  readonly cause?: unknown
}
