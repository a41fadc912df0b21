import { openScope, sleep } from '../../values/index.ts'
import {
  type Authenticator,
  type Credential,
  joinCredentials,
  NO_CREDENTIAL,
  processEnvironment,
  readApiKey,
  readBasic,
  readBearer,
  readRules,
} from './auth.ts'
import { createOauth2 } from './oauth2.ts'
import type { ApiOperation, Environment, ToolArguments } from './operation.ts'
import { type ApiRequest, buildRequest } from './request.ts'
import {
  type ResultPage,
  readAnswer,
  readExcerpt,
  readPage,
  type Trimmed,
  trimAnswer,
} from './response.ts'
import { retryAfterSeconds, type Sender, sendRequest } from './send.ts'
import { createSecretMask, ToolError, ToolHttpError } from './tool-error.ts'

/** Settings of a caller, for all its calls. */
export interface CallerOptions {
  readonly env?: Environment
  readonly fetch?: typeof fetch
  /** Longest time for one call, retries included; 30 seconds when absent. */
  readonly timeoutMs?: number
  /** How often a GET, PUT or DELETE is sent again; 2 when absent. */
  readonly retries?: number
  /** Longest `Retry-After` that is waited for; 10 seconds when absent. */
  readonly maxWaitMs?: number
  /** Longest answer that is read; 1 MiB when absent, 16 MiB where the answer is trimmed. */
  readonly maxBytes?: number
  readonly userAgent?: string
  readonly now?: () => number
  readonly sleep?: Sender['sleep']
  readonly random?: () => number
}

/** What one call may bring along. */
export interface ToolContext {
  readonly signal?: AbortSignal | undefined
  /** Read instead of the environment of the process. */
  readonly env?: Environment | undefined
  readonly fetch?: typeof fetch | undefined
  readonly timeoutMs?: number | undefined
}

/** Sends an operation with checked arguments and gives its answer. */
export type Caller = (
  operation: ApiOperation,
  args: ToolArguments,
  context?: ToolContext,
) => Promise<unknown>

const TIMEOUT_MS = 30_000
const EXCERPT_BYTES = 2048

/** Makes a caller: the one place where requests leave and answers come back. */
export function createToolCaller(options: CallerOptions = {}): Caller {
  const authenticators: Exchange['authenticators'] = {
    bearer: readBearer,
    api_key: readApiKey,
    basic: readBasic,
    oauth2: createOauth2(),
  }
  return async function callTool(operation, args, context = {}) {
    const { signal, close } = openScope([context.signal], {
      afterMs: context.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS,
      reason: () =>
        new ToolError(operation.tool, 'timeout', `${operation.tool}: no answer in time`),
    })
    const exchange: Exchange = {
      operation,
      // Arguments without a prototype: a field called `constructor` must not find one.
      args: { __proto__: null, ...args },
      authenticators,
      options,
      env: context.env ?? options.env ?? processEnvironment(),
      secrets: [],
      sender: toSender(operation, {
        ...options,
        fetch: context.fetch ?? options.fetch ?? fetch,
        signal,
      }),
    }
    try {
      return await runExchange(exchange)
    } catch (thrown) {
      throw toToolError(thrown, exchange, context.signal)
    } finally {
      close()
    }
  }
}

interface Exchange {
  readonly operation: ApiOperation
  readonly args: ToolArguments
  readonly authenticators: Readonly<Record<string, Authenticator>>
  readonly options: CallerOptions
  readonly env: Environment
  readonly sender: Sender
  /** Grows as credentials are read. */
  readonly secrets: string[]
}

async function runExchange(exchange: Exchange): Promise<unknown> {
  const { operation, options, sender } = exchange
  const credential = await readCredential(exchange)
  let request = toRequest(exchange, credential)
  let response = await sendRequest(request, sender)
  if (response.status === 401 && credential.token !== undefined) {
    await response.body?.cancel()
    request = toRequest(exchange, await readCredential(exchange, credential.token))
    response = await sendRequest(request, sender)
  }
  if (!response.ok) throw await toHttpError(exchange, request, response)
  const usual = operation.response ? 16 * 1024 * 1024 : 1024 * 1024
  const answer = await readAnswer(response, options.maxBytes ?? usual)
  if (answer.truncated) return answer.value
  return shapeAnswer(exchange, answer.value, response.headers.get('link'))
}

function shapeAnswer(exchange: Exchange, value: unknown, link: string | null): unknown {
  const { operation, args } = exchange
  const { response: rule, paginate } = operation
  const trim = (part: unknown): Trimmed => (rule ? trimAnswer(part, rule) : { result: part })
  const page = paginate && readPage(operation, paginate, args, { value, link })
  if (page === undefined) {
    const { result, trimmed } = trim(value)
    return trimmed === undefined ? result : { result, trimmed }
  }
  return toPageAnswer(page, trim(page.items === undefined || rule?.pick ? value : page.items))
}

function toPageAnswer(page: ResultPage, { result, trimmed }: Trimmed): Record<string, unknown> {
  return {
    [Array.isArray(result) ? 'items' : 'result']: result,
    next_cursor: page.next,
    ...(trimmed !== undefined && { trimmed }),
  }
}

function toRequest(
  { operation, args, env, options }: Exchange,
  credential: Credential,
): ApiRequest {
  const { userAgent } = options
  return buildRequest(operation, args, { env, credential, ...(userAgent && { userAgent }) })
}

async function readCredential(exchange: Exchange, rejected?: string): Promise<Credential> {
  const { operation, env, authenticators, sender, options } = exchange
  const { tool } = operation
  const now = options.now ?? Date.now
  const rules = readRules(operation.auth, env, tool)
  const context = { tool, env, fetch: sender.fetch, now, signal: sender.signal, rejected }
  const credentials = await Promise.all(
    rules.map((rule) => authenticators[rule.type]?.(rule, context) ?? NO_CREDENTIAL),
  )
  const credential = joinCredentials(credentials)
  exchange.secrets.push(...credential.secrets)
  return credential
}

function toSender(
  { tool }: ApiOperation,
  options: CallerOptions & { readonly fetch: typeof fetch; readonly signal: AbortSignal },
): Sender {
  return {
    tool,
    fetch: options.fetch,
    signal: options.signal,
    retries: options.retries ?? 2,
    maxWaitMs: options.maxWaitMs ?? 10_000,
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
    now: options.now ?? Date.now,
  }
}

async function toHttpError(
  { operation, secrets, options }: Exchange,
  request: ApiRequest,
  response: Response,
): Promise<ToolHttpError> {
  const redact = createSecretMask(secrets)
  return new ToolHttpError({
    tool: operation.tool,
    method: request.method,
    url: redact(request.url),
    status: response.status,
    body: redact(await readExcerpt(response, EXCERPT_BYTES)),
    retryAfter: retryAfterSeconds(response, (options.now ?? Date.now)()),
  })
}

function toToolError(
  thrown: unknown,
  { operation: { tool }, secrets, sender }: Exchange,
  cancelled: AbortSignal | undefined,
): ToolError {
  if (cancelled?.aborted)
    return new ToolError(tool, 'cancelled', `${tool}: cancelled by the caller`)
  if (sender.signal.aborted) return sender.signal.reason as ToolError
  if (thrown instanceof ToolError) return thrown
  // The cause stays outside: what fetch says may quote a header.
  const redact = createSecretMask(secrets)
  const code = networkCode(thrown)
  return new ToolError(
    tool,
    'network',
    redact(`${tool}: the API could not be reached${code && ` (${code})`}`),
  )
}

function networkCode(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : ''
}
