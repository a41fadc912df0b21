import type { TraceFacts } from '../core/index.ts'
import { type CallErrorShape, type Code, resolveCode } from '../errors/index.ts'
import {
  type Duration,
  extensionUrn,
  isRecord,
  type JsonObject,
  toMilliseconds,
} from '../values/index.ts'
import type { RequestExtension } from '../wire/index.ts'
import { resolveClientCode } from './errors.ts'
import { type Answer, findExtension } from './outcome.ts'

/** The call a handler is serving, as far as calls made on its behalf need it. */
export interface Upstream {
  readonly context: JsonObject | undefined
  readonly facts: { readonly deadline?: number; readonly trace?: TraceFacts }
  readonly signal: () => AbortSignal
}

/** How one call is made. */
export interface CallOptions<Version = string> {
  /** Exact version of the function; the latest stable one when absent. */
  readonly version?: Version | undefined
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

/** How failed attempts are repeated. */
export interface RetryPolicy {
  /** Attempts in all, the first one included; 3 when absent. */
  readonly maxAttempts: number
  /** Milliseconds before the second attempt when the service says nothing; doubles each time; 250 when absent. */
  readonly baseDelayMs: number
  /** The client gives up rather than wait longer; 30000 when absent. */
  readonly maxDelayMs: number
}

/** What decides about the next attempt. */
export interface RetryQuestion {
  readonly answer: Answer
  /** How many attempts were made. */
  readonly attempts: number
  /** True when repeating the call cannot do anything twice. */
  readonly repeatable: boolean
  readonly policy: RetryPolicy
  readonly random: () => number
}

const DEFAULTS: RetryPolicy = { maxAttempts: 3, baseDelayMs: 250, maxDelayMs: 30_000 }

/** Completes a policy; throws a TypeError for one that cannot be followed. */
export function resolvePolicy(
  changes: Partial<RetryPolicy> | false = {},
  base: RetryPolicy = DEFAULTS,
): RetryPolicy {
  if (changes === false) return { ...base, maxAttempts: 1 }
  const policy = { ...base, ...changes }
  if (!Number.isInteger(policy.maxAttempts) || policy.maxAttempts < 1) {
    throw new TypeError('retry.maxAttempts must be a whole number of at least 1')
  }
  for (const name of ['baseDelayMs', 'maxDelayMs'] as const) {
    if (!(policy[name] >= 0)) throw new TypeError(`retry.${name} must be a number of at least 0`)
  }
  return policy
}

/** Selects how many milliseconds to wait before the next attempt; undefined means that there is none. */
export function selectDelay(question: RetryQuestion): number | undefined {
  const { answer, attempts, repeatable, policy, random } = question
  if (answer.outcome.ok) return undefined
  const { errors } = answer.outcome
  const hint = readHint(answer)
  const allowed = hint.allowed ?? errors.every(isRetryable)
  if (!allowed || attempts >= policy.maxAttempts || attempts > hint.maxRetries) return undefined
  if (!repeatable && !errors.every(hasNotRun)) return undefined
  const delay = pickDelay(hint, question, errors)
  // Waiting less than the service asked for only makes things worse, so a wait that is too long ends the call.
  if (delay > policy.maxDelayMs) return undefined
  return delay * (1 + JITTER * random())
}

// Many callers that failed together must not come back together.
const JITTER = 0.5
const RATE_LIMIT_FLOOR_MS = 1000

interface Hint {
  readonly allowed: boolean | undefined
  readonly strategy: unknown
  readonly afterMs: number | undefined
  readonly maxRetries: number
}

function readHint(answer: Answer): Hint {
  const data = findExtension(answer, extensionUrn('retry'))?.data ?? {}
  const { allowed, strategy, after, max_attempts: max } = data
  return {
    allowed: typeof allowed === 'boolean' ? allowed : undefined,
    strategy,
    afterMs: isRecord(after) ? toMilliseconds(after) : undefined,
    maxRetries: typeof max === 'number' ? max : Number.POSITIVE_INFINITY,
  }
}

function pickDelay(
  hint: Hint,
  { answer, attempts, policy }: RetryQuestion,
  errors: readonly CallErrorShape[],
): number {
  const growth = 2 ** (attempts - 1)
  const backoff = Math.min(policy.baseDelayMs * growth, policy.maxDelayMs)
  const asked = readAsked(hint, growth, errors) ?? answer.retryAfterMs
  const delay = asked ?? (hint.strategy === 'immediate' ? 0 : backoff)
  const unasked = asked === undefined || asked === 0
  const limited = errors.some(({ code }) => code === 'RATE_LIMITED')
  return limited && unasked ? Math.max(delay, RATE_LIMIT_FLOOR_MS) : delay
}

/** What the answer itself asks for; the error's own figure counts when the general hint is shorter. */
function readAsked(
  { afterMs, strategy }: Hint,
  growth: number,
  errors: readonly CallErrorShape[],
): number | undefined {
  const hinted =
    afterMs === undefined ? [] : [strategy === 'exponential' ? afterMs * growth : afterMs]
  const detailed = errors.map(({ details }) => {
    const after = details?.['retry_after']
    return isRecord(after) ? toMilliseconds(after) : undefined
  })
  const figures = [...hinted, ...detailed].filter((figure) => figure !== undefined)
  return figures.length === 0 ? undefined : Math.max(...figures)
}

function isRetryable({ code }: CallErrorShape): boolean {
  return resolveClientCode(code)?.retryable ?? resolveCode(code).retryable
}

// Answered instead of running the function; every other code may come after half of the work was done.
const NOT_RUN: readonly string[] = [
  'RATE_LIMITED',
  'UNAVAILABLE',
  'FUNCTION_DISABLED',
  'FUNCTION_MAINTENANCE',
  'SERVER_MAINTENANCE',
  'IDEMPOTENCY_PROCESSING',
  'LOCK_ACQUISITION_FAILED',
  'LOCK_TIMEOUT',
] satisfies Code[]

function hasNotRun({ code }: CallErrorShape): boolean {
  return resolveClientCode(code)?.mayHaveRun === false || NOT_RUN.includes(code)
}
