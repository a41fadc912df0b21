import type { Extension, Failure } from '../../core/index.ts'
import { type CallErrorShape, CODES, resolveCode } from '../../errors/index.ts'
import {
  andThen,
  type Duration,
  extensionUrn,
  isRecord,
  type JsonObject,
  toMilliseconds,
} from '../../values/index.ts'

/** How a caller should try again. */
export interface RetryStrategy {
  readonly strategy: 'immediate' | 'fixed' | 'exponential'
  /** How long to wait; doubled before every further attempt when exponential. */
  readonly after?: Duration
  readonly maxAttempts?: number
}

/** How retry hints are given. */
export interface RetryExtensionOptions {
  /** Strategies by error code, before the ones of the protocol; `false` forbids another attempt. */
  readonly strategies?: Readonly<Record<string, RetryStrategy | false>>
  /** Also hints at calls that did not ask, when another attempt may help; off when absent. */
  readonly always?: boolean
}

const seconds = (value: number): Duration => ({ value, unit: 'second' })

const PROTOCOL_STRATEGIES: Readonly<Record<string, RetryStrategy>> = {
  RATE_LIMITED: { strategy: 'fixed', after: seconds(60), maxAttempts: 3 },
  UNAVAILABLE: { strategy: 'exponential', after: seconds(1), maxAttempts: 5 },
  DEADLINE_EXCEEDED: { strategy: 'immediate', maxAttempts: 1 },
  INTERNAL_ERROR: { strategy: 'exponential', after: seconds(1), maxAttempts: 3 },
  DEPENDENCY_ERROR: { strategy: 'exponential', after: seconds(2), maxAttempts: 3 },
  IDEMPOTENCY_PROCESSING: { strategy: 'fixed', after: seconds(1), maxAttempts: 3 },
  SERVER_MAINTENANCE: { strategy: 'fixed', after: seconds(60), maxAttempts: 1 },
  FUNCTION_MAINTENANCE: { strategy: 'fixed', after: seconds(60), maxAttempts: 1 },
  FUNCTION_DISABLED: { strategy: 'fixed', after: seconds(30), maxAttempts: 2 },
}

const OTHER_RETRYABLE: RetryStrategy = { strategy: 'fixed', after: seconds(1), maxAttempts: 3 }

/** Creates the extension that tells callers of a failed call whether, when and how often to try again. */
export function retryExtension(options: RetryExtensionOptions = {}): Extension {
  const strategies = new Map(
    Object.entries({ ...PROTOCOL_STRATEGIES, ...checked(options.strategies ?? {}) }),
  )
  return {
    urn: extensionUrn('retry'),
    version: '1.0.0',
    phase: 'observe',
    order: -30,
    joins: () => options.always === true,
    around({ call, declared, answer }, next) {
      return andThen(next(call), (outcome) => {
        if (outcome.ok) return outcome
        const hint = toHint(outcome, strategies)
        if (declared || hint['allowed'] === true) answer(hint)
        return outcome
      })
    },
  }
}

/** Several findings may be tried again only when each of them may. */
function toHint(
  { errors }: Failure,
  strategies: ReadonlyMap<string, RetryStrategy | false>,
): JsonObject {
  const [first] = errors
  const chosen = errors.map((error) => chooseStrategy(error, strategies))
  const strategy = chosen[0]
  if (!strategy || chosen.some((other) => !other)) return { allowed: false }
  const after = readRetryAfter(first) ?? strategy.after
  return {
    allowed: true,
    strategy: strategy.strategy,
    ...(after && { after: { ...after } }),
    ...(strategy.maxAttempts !== undefined && { max_attempts: strategy.maxAttempts }),
  }
}

function chooseStrategy(
  error: CallErrorShape,
  strategies: ReadonlyMap<string, RetryStrategy | false>,
): RetryStrategy | false {
  const known = strategies.get(error.code)
  if (known !== undefined) return known
  if (resolveCode(error.code).retryable) return OTHER_RETRYABLE
  // An application that says when to come back means that coming back helps.
  const own = !Object.hasOwn(CODES, error.code)
  return own && readRetryAfter(error) !== undefined ? OTHER_RETRYABLE : false
}

function readRetryAfter({ details }: CallErrorShape): Duration | undefined {
  const duration = details?.['retry_after']
  return isRecord(duration) && toMilliseconds(duration) !== undefined
    ? { value: duration['value'] as number, unit: duration['unit'] as Duration['unit'] }
    : undefined
}

function checked(
  strategies: Readonly<Record<string, RetryStrategy | false>>,
): Readonly<Record<string, RetryStrategy | false>> {
  for (const [code, strategy] of Object.entries(strategies)) {
    if (strategy !== false && strategy.after && toMilliseconds(strategy.after) === undefined) {
      throw new TypeError(`retry: strategies.${code}.after must be a duration such as 1 second`)
    }
  }
  return strategies
}
