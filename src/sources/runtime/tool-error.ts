/** Makes a function that masks every one of the secrets in a text. */
export function createSecretMask(secrets: readonly string[]): (text: string) => string {
  // The longest first: a secret may be part of another, such as a token of its header.
  const values = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((one, other) => other.length - one.length)
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '***'), text)
}

/** Why a tool could not answer. */
export type ToolErrorReason =
  | 'arguments'
  | 'setup'
  | 'network'
  | 'timeout'
  | 'cancelled'
  | 'redirect'
  | 'status'

/** A call that did not come to an answer; nothing in it holds a credential. */
export class ToolError extends Error {
  readonly tool: string
  readonly reason: ToolErrorReason
  /** What is wrong in detail, one sentence each. */
  readonly problems: readonly string[]

  constructor(
    tool: string,
    reason: ToolErrorReason,
    message: string,
    options: { readonly cause?: unknown; readonly problems?: readonly string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ToolError'
    this.tool = tool
    this.reason = reason
    this.problems = options.problems ?? []
  }
}

/** What an upstream said when it refused. */
export interface Refusal {
  readonly tool: string
  readonly method: string
  /** Without credentials. */
  readonly url: string
  readonly status: number
  /** The first 2 KB, without credentials. */
  readonly body: string
  /** Seconds the upstream asks to wait. */
  readonly retryAfter: number | undefined
}

/** An answer whose status is not a success. */
export class ToolHttpError extends ToolError {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly body: string
  readonly retry_after: number | undefined

  constructor(refusal: Refusal) {
    const { tool, method, url, status } = refusal
    super(tool, 'status', `${tool}: ${method} ${url} answered ${status}`)
    this.name = 'ToolHttpError'
    this.method = method
    this.url = url
    this.status = status
    this.body = refusal.body
    this.retry_after = refusal.retryAfter
  }
}
