import { parseExactJson } from '../../../core/exact-json.ts'
import type {
  Answer,
  AnswerEntry,
  Connection,
  ExtensionEntry,
  RetryPolicy,
  WireOptions,
} from './contract.ts'
import { toEntry } from './method.ts'
import { pause, toMilliseconds } from './operation.ts'

/** Where the service is and how it is called. */
export interface ClientOptions {
  /** The Forrst endpoint itself: `https://host/forrst`. */
  readonly url: string | URL
  /** Headers of every request, or a function that is asked before each attempt, such as one that renews a token. */
  readonly headers?: HeaderSource | undefined
  /** The calling service's own name: `context.caller` of every call. */
  readonly name?: string | undefined
  /** How failed attempts are repeated; false never repeats. */
  readonly retry?: Partial<RetryPolicy> | false | undefined
  /** Milliseconds to wait for one answer when a call has no deadline; 30000 when absent. */
  readonly timeoutMs?: number | undefined
  /** The platform's `fetch` when absent. */
  readonly fetch?: typeof fetch | undefined
}

/** Headers of every request, or what makes them. */
export type HeaderSource =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** Connects to the service over `fetch`. */
export function connect(options: ClientOptions): Connection {
  return {
    call: async (name, callArguments, given) => {
      const opened = await request(options, { name, callArguments, given })
      if ('answer' in opened) return opened.answer
      await opened.body.cancel()
      return failure('CLIENT_INVALID_RESPONSE', NO_JSON)
    },
  }
}

/** What a request gives: an answer, or a stream of server-sent events. */
export type Opened = { readonly answer: Answer } | { readonly body: ReadableStream<Uint8Array> }

/** A call before it is written for the wire. */
export interface Outgoing {
  readonly name: string
  readonly callArguments: unknown
  readonly given: WireOptions
}

/** Makes a call, attempt by attempt, and never throws. */
export function request(options: ClientOptions, call: Outgoing): Promise<Opened> {
  return repeat(options, call.given, (remainingMs) => attempt(options, call, remainingMs))
}

const NO_JSON = 'The service answered a stream where a result was expected'
const POLICY: RetryPolicy = { maxAttempts: 3, baseDelayMs: 250, maxDelayMs: 30_000 }

/** Codes after which nothing has run, so that every call may be repeated. */
const NOT_RUN: readonly string[] = [
  'CLIENT_UNREACHABLE',
  'FUNCTION_DISABLED',
  'FUNCTION_MAINTENANCE',
  'IDEMPOTENCY_PROCESSING',
  'LOCK_ACQUISITION_FAILED',
  'LOCK_TIMEOUT',
  'RATE_LIMITED',
  'SERVER_MAINTENANCE',
  'UNAVAILABLE',
]

/** Codes after which only calls may be repeated that cannot do anything twice. */
const MAY_HAVE_RUN: readonly string[] = [
  'CLIENT_CONNECTION_LOST',
  'CLIENT_TIMEOUT',
  'DEPENDENCY_ERROR',
  'INTERNAL_ERROR',
]

type Attempted = Opened & { readonly retryAfterMs?: number | undefined }

async function repeat(
  options: ClientOptions,
  given: WireOptions,
  run: (remainingMs: number | undefined) => Promise<Attempted>,
): Promise<Opened> {
  const changes = given.retry ?? options.retry ?? {}
  const policy = changes === false ? { ...POLICY, maxAttempts: 1 } : { ...POLICY, ...changes }
  const end = given.deadline && Date.now() + (toMilliseconds(given.deadline) ?? 0)
  for (let attempts = 1; ; attempts += 1) {
    const opened = await run(end === undefined ? undefined : end - Date.now())
    const delay = selectDelay(opened, { given, policy, attempts })
    const isLate = delay !== undefined && end !== undefined && Date.now() + delay >= end
    if (delay === undefined || isLate) return opened
    try {
      await pause(delay, given.signal)
    } catch (cause) {
      return { answer: failure('CANCELLED', 'The call was aborted by its signal', cause) }
    }
  }
}

function selectDelay(
  opened: Attempted,
  {
    given,
    policy,
    attempts,
  }: { readonly given: WireOptions; readonly policy: RetryPolicy; readonly attempts: number },
): number | undefined {
  if ('body' in opened || opened.answer.ok || attempts >= policy.maxAttempts) return undefined
  const { errors, extensions } = opened.answer
  const hint = extensions.find(({ urn }) => urn.endsWith(':ext:retry'))?.data ?? {}
  const isRepeatable = given.readOnly === true || given.idempotencyKey !== undefined
  const codes = isRepeatable ? [...NOT_RUN, ...MAY_HAVE_RUN] : NOT_RUN
  if (hint['allowed'] === false || !errors.every(({ code }) => codes.includes(code))) {
    return undefined
  }
  const details = errors[0].details as { readonly retry_after?: unknown } | undefined
  const asked =
    toMilliseconds(hint['after']) ?? toMilliseconds(details?.retry_after) ?? opened.retryAfterMs
  const delay = asked ?? policy.baseDelayMs * 2 ** (attempts - 1)
  // Many callers that failed together must not come back together.
  return delay > policy.maxDelayMs ? undefined : delay * (1 + Math.random() / 2)
}

async function attempt(
  options: ClientOptions,
  call: Outgoing,
  remainingMs: number | undefined,
): Promise<Attempted> {
  const { given } = call
  if (remainingMs !== undefined && remainingMs <= 0) {
    return { answer: failure('DEADLINE_EXCEEDED', 'The deadline has passed') }
  }
  // The service must get the chance to say itself that the deadline has passed.
  const limit = remainingMs === undefined ? undefined : remainingMs + 1000
  const timeout = new AbortController()
  const ring = (): void => timeout.abort()
  const timer = setTimeout(ring, limit ?? given.timeoutMs ?? options.timeoutMs ?? 30_000)
  const signal = given.signal ? AbortSignal.any([given.signal, timeout.signal]) : timeout.signal
  try {
    const id = crypto.randomUUID()
    const response = await (options.fetch ?? fetch)(options.url, {
      method: 'POST',
      headers: await toHeaders(options.headers ?? {}),
      body: JSON.stringify(toRequest(call, { id, remainingMs, caller: options.name })),
      // Credentials stay with the address they were meant for.
      redirect: 'error',
      signal,
    })
    return await readAnswer(response, id)
  } catch (thrown) {
    if (given.signal?.aborted) {
      return { answer: failure('CANCELLED', 'The call was aborted by its signal', thrown) }
    }
    return {
      answer: timeout.signal.aborted
        ? failure('CLIENT_TIMEOUT', 'No complete answer came in time', thrown)
        : toConnectionFailure(thrown),
    }
  } finally {
    // A stream may go on for as long as it likes once it is open.
    clearTimeout(timer)
  }
}

async function toHeaders(source: HeaderSource): Promise<Record<string, string>> {
  const own = typeof source === 'function' ? await source() : source
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...own,
  }
}

interface AttemptFacts {
  readonly id: string
  readonly remainingMs: number | undefined
  readonly caller: string | undefined
}

function toRequest(call: Outgoing, { id, remainingMs, caller }: AttemptFacts): object {
  const { name, callArguments, given } = call
  const { version, idempotencyKey: key } = given
  const context = { ...given.context, ...(caller !== undefined && { caller }) }
  const left = remainingMs && { value: Math.ceil(remainingMs), unit: 'millisecond' }
  const extensions: readonly ExtensionEntry[] = [
    ...(given.extensions ?? []),
    ...(left ? [{ urn: 'urn:forrst:ext:deadline', options: left }] : []),
    ...(key === undefined ? [] : [{ urn: 'urn:forrst:ext:idempotency', options: { key } }]),
  ]
  return {
    protocol: { name: 'forrst', version: '0.1.0' },
    id,
    call: {
      function: name,
      ...(version !== undefined && { version }),
      ...(callArguments !== undefined && { arguments: callArguments }),
    },
    ...(Object.keys(context).length > 0 && { context }),
    ...(extensions.length > 0 && { extensions }),
  }
}

async function readAnswer(response: Response, id: string): Promise<Attempted> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) {
    return { body: response.body }
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
  const text = await response.text()
  return { answer: parseAnswer(text, response.status, id), retryAfterMs }
}

function parseAnswer(text: string, status: number, id: string): Answer {
  const body = tryParse(text)
  if (!isObject(body) || !isObject(body['protocol'])) {
    const isGateway = status === 502 || status === 503 || status === 504
    return isGateway
      ? failure('UNAVAILABLE', `Something in between answered ${status}`)
      : failure('CLIENT_INVALID_RESPONSE', `The answer (status ${status}) is no Forrst response`)
  }
  const extensions = (Array.isArray(body['extensions']) ? body['extensions'] : []).filter(isEntry)
  const [first, ...rest] = Array.isArray(body['errors']) ? body['errors'].map(toEntry) : []
  if (first !== undefined) return { ok: false, errors: [first, ...rest], extensions }
  if (body['id'] !== id) {
    return failure('CLIENT_INVALID_RESPONSE', 'The answer belongs to another request')
  }
  return { ok: true, result: body['result'], extensions }
}

function isEntry(value: unknown): value is AnswerEntry {
  return isObject(value) && typeof value['urn'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function tryParse(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

const NEVER_CONNECTED = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ConnectionRefused/

function toConnectionFailure(thrown: unknown): Answer {
  const cause = (thrown as { readonly cause?: { readonly code?: unknown } } | undefined)?.cause
  return typeof cause?.code === 'string' && NEVER_CONNECTED.test(cause.code)
    ? failure('CLIENT_UNREACHABLE', 'No connection could be made', thrown)
    : failure(
        'CLIENT_CONNECTION_LOST',
        'The connection broke before the answer was complete',
        thrown,
      )
}

function failure(code: string, message: string, cause?: unknown): Answer {
  return { ok: false, errors: [{ code, message }], extensions: [], cause }
}
