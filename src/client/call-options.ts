import type { TraceFacts } from '../core/call.ts'
import type { Duration, JsonObject } from '../core/json.ts'
import type { RequestExtension } from '../forrst/envelope.ts'
import type { RetryPolicy } from './retry.ts'

/** The call a handler is serving, as far as calls made on its behalf need it. */
export interface Upstream {
  readonly context: JsonObject | undefined
  readonly facts: { readonly deadline?: number; readonly trace?: TraceFacts }
  readonly signal: () => AbortSignal
}

/** How one call is made. */
export interface CallOptions {
  /** Exact version of the function; the latest stable one when absent. */
  readonly version?: string | undefined
  /** How long the whole call may take, retries included; the service is told what is left. */
  readonly deadline?: Duration | undefined
  /** Sent with every attempt, so that the service runs the call once; makes it safe to repeat. */
  readonly idempotencyKey?: string | undefined
  /** True when the function changes nothing; makes it safe to repeat. */
  readonly readOnly?: boolean | undefined
  /** Business metadata; `caller` is always the client's own name. */
  readonly context?: JsonObject | undefined
  /** Further extension entries; one of these replaces the entry the client would write itself. */
  readonly extensions?: readonly RequestExtension[] | undefined
  /** The handler's `call`: passes on its context, trace, signal and the rest of its deadline. */
  readonly within?: Upstream | undefined
  readonly signal?: AbortSignal | undefined
  /** Changes to the client's policy for this call; false never repeats it. */
  readonly retry?: Partial<RetryPolicy> | false | undefined
  /** Milliseconds to wait for one answer when there is no deadline. */
  readonly timeoutMs?: number | undefined
}
