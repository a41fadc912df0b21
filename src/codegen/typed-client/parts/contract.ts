/*
 * What generated clients are made of; test/codegen/client-pieces.test.ts cuts these files into pieces.
 */

/** How one call is made. */
export interface CallOptions {
  /** How long the whole call may take, retries included; the service is told what is left. */
  readonly deadline?: Duration | undefined
  /** Sent with every attempt, so that the service runs the call once; makes it safe to repeat. */
  readonly idempotencyKey?: string | undefined
  /** Business metadata that travels with the call. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** Further extension entries of the request. */
  readonly extensions?: readonly ExtensionEntry[] | undefined
  readonly signal?: AbortSignal | undefined
  /** Changes to the retries of the client for this call; false never repeats it. */
  readonly retry?: Partial<RetryPolicy> | false | undefined
  /** Milliseconds to wait for one answer when there is no deadline. */
  readonly timeoutMs?: number | undefined
}

/** A length of time. */
export interface Duration {
  readonly value: number
  readonly unit: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'
}

/** An extension of the protocol that a request makes use of. */
export interface ExtensionEntry {
  readonly urn: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** How failed attempts are repeated. */
export interface RetryPolicy {
  /** Attempts in all, the first one included; 3 when absent. */
  readonly maxAttempts: number
  /** Milliseconds before the second attempt when the service says nothing; doubles each time; 250 when absent. */
  readonly baseDelayMs: number
  /** The client gives up rather than wait longer; 30000 when absent. */
  readonly maxDelayMs: number
}

/** One error of a failed call. */
export interface ErrorEntry {
  readonly code: string
  readonly message: string
  readonly details?: unknown
  readonly source?: unknown
}

/** What a call comes to on the wire. */
export type Answer =
  | { readonly ok: true; readonly result: unknown; readonly extensions: readonly AnswerEntry[] }
  | {
      readonly ok: false
      readonly errors: readonly [ErrorEntry, ...ErrorEntry[]]
      readonly extensions: readonly AnswerEntry[]
      readonly cause?: unknown
    }

/** What an extension says in an answer. */
export interface AnswerEntry {
  readonly urn: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Options of a call that the generated methods fill in. */
export interface WireOptions extends CallOptions {
  readonly version?: string | undefined
  readonly readOnly?: boolean | undefined
}

/** A way to the service: failures are values, and nothing is thrown. */
export interface Connection {
  readonly call: (name: string, callArguments: unknown, options: WireOptions) => Promise<Answer>
}

/** A way to calls that are answered in parts: gives the parts, returns the result, throws a ServiceError. */
export type Stream = (
  name: string,
  callArguments: unknown,
  options: WireOptions & Pick<StreamOptions, 'onProgress'>,
) => AsyncGenerator<unknown, unknown, void>

/** How a stream is read. */
export interface StreamOptions extends CallOptions {
  /** Told about progress, between the parts. */
  readonly onProgress?: ((progress: StreamProgress) => void) | undefined
}

/** How far a stream is. */
export interface StreamProgress {
  readonly current?: number
  readonly total?: number
  readonly percent?: number
  readonly message?: string
}

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string
  readonly data: unknown
}
