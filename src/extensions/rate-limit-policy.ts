import type { Duration } from '../core/json.ts'
import type { Target } from '../core/target.ts'
import { storeKey } from '../store/keys.ts'
import { toSha256 } from './canonical.ts'
import { LIMIT_SCOPES, type LimitScope } from './limit-subject.ts'
import { requireMilliseconds } from './option-values.ts'

/** So many calls in so much time. */
export interface RateLimitPolicy {
  readonly scope: LimitScope
  readonly limit: number
  readonly window: Duration
  /** Only this function; every function of the service when absent. */
  readonly function?: string
  /** Name in `RateLimit-Policy`; the scope, and the function if there is one, when absent. */
  readonly name?: string
}

/** A policy made ready for calls. */
export interface ReadyPolicy extends RateLimitPolicy {
  readonly name: string
  readonly windowMs: number
  /** Where the count of a subject is kept. */
  readonly toKey: (subject: string, target: Target) => string
}

/** Checks policies and sorts them from the narrowest scope to the widest. */
export function preparePolicies(policies: readonly RateLimitPolicy[]): readonly ReadyPolicy[] {
  const ready = policies.map((policy, index) => {
    const field = `rate-limit: policies[${index}]`
    const { scope, limit, window, function: only } = policy
    const { name = only === undefined ? scope : `${scope}:${only}` } = policy
    if (!LIMIT_SCOPES.includes(scope)) {
      throw new TypeError(`${field}.scope must be one of ${LIMIT_SCOPES.join(', ')}`)
    }
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new TypeError(`${field}.limit must be a whole number that is not negative`)
    }
    if (!/^[\w.:-]+$/.test(name)) throw new TypeError(`${field}.name must be letters and digits`)
    const windowMs = requireMilliseconds(`${field}.window`, window)
    const id = `${name}/${windowMs}`
    return {
      ...policy,
      name,
      windowMs,
      toKey: (subject: string, target: Target) =>
        storeKey('rate', id, toSha256(scope === 'function' ? `${target.name}` : subject)),
    }
  })
  return ready.sort(
    (left, right) => LIMIT_SCOPES.indexOf(left.scope) - LIMIT_SCOPES.indexOf(right.scope),
  )
}

/** Tells whether a policy counts calls of a function; the protocol's own functions only when named. */
export function appliesTo(policy: RateLimitPolicy, target: Target): boolean {
  return policy.function === undefined ? !target.system : policy.function === target.name
}
