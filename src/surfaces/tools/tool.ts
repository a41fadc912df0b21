import type { JsonSchema, StandardSchema } from '../../schema/index.ts'
import type { Maybe } from '../../values/index.ts'
import type { HttpRequest, HttpResponse } from '../../wire/index.ts'

/** A tool: any object with these members will do, whatever made it. */
export interface Tool {
  readonly name: string
  readonly description?: string | null
  /** JSON Schema of the arguments; a Standard Schema that can print itself is accepted too. */
  readonly inputSchema?: JsonSchema | StandardSchema | boolean | null
  /** MCP hints; unknown members are passed on. */
  readonly annotations?: object | null
}

/** Tools read once and kept as bytes; made by `prepareTools`. */
export interface PreparedTools {
  readonly find: (name: string) => Tool | undefined
  readonly respond: (request: HttpRequest) => Maybe<HttpResponse>
}

/** Where tools come from: a list, or a function that is called on each request. */
export type ToolsProvider =
  | readonly Tool[]
  | PreparedTools
  | (() => readonly Tool[] | PreparedTools)
  | (() => PromiseLike<readonly Tool[] | PreparedTools>)

/** One piece of an answer; text and images are drawn, other kinds are passed on. */
export interface ToolContentBlock {
  readonly type: string
  readonly [member: string]: unknown
}

/** The body of an answer to a call. */
export interface ToolCallResult {
  readonly content: readonly ToolContentBlock[]
  readonly isError: boolean
  readonly structuredContent?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** What a call handler may return: content, error flag and trace id in a row, or a result object. */
export type ToolCallOutcome =
  | readonly [content: readonly ToolContentBlock[], isError: boolean, traceId?: string | null]
  | (Omit<ToolCallResult, 'isError'> & { readonly isError?: boolean })

/** Answers a call as its tool runs: events `item`, `progress`, and last `result`, which is what a call gives. */
export type ToolStreamHandler = (
  tool: string,
  args: Record<string, unknown>,
  request: HttpRequest,
) => Maybe<HttpResponse> | undefined

/** Runs a tool. A handler that declares exactly two parameters is called without the request. */
export type ToolCallHandler = (
  name: string,
  args: Record<string, unknown>,
  request: HttpRequest,
) => Maybe<ToolCallOutcome>

/**
 * Guards calls: reject by throwing before `next()` is called, carry identity by running `next` in a context of your own.
 * Once `next` was called its answer is sent, whatever the hook does afterwards.
 */
export type AuthHook = (request: HttpRequest, next: () => Promise<void>) => unknown

/** The verdict of a validation. */
export interface ValidateResult {
  readonly valid: boolean
  readonly errors?: readonly ValidationFailure[]
}

/** One thing that is wrong with the arguments. */
export interface ValidationFailure {
  /** RFC 6901 JSON Pointer into the arguments; empty for the whole. */
  readonly path: string
  readonly message: string
  readonly keyword?: string
}
