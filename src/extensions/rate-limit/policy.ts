import { type Call, requireMilliseconds, type Target } from '../../core/index.ts'
import { storeKey, toSha256 } from '../../store/index.ts'
import type { Duration } from '../../values/index.ts'

/** Whose calls are counted together: everybody's, a calling service's, one function's, or a principal's. */
export type LimitScope = 'global' | 'service' | 'function' | 'user'

/** From the narrowest to the widest: a caller who is over its own limit must not use up that of all. */
export const LIMIT_SCOPES = ['user', 'function', 'service', 'global'] as const

/** Tells callers apart within a scope; undefined leaves a call uncounted. */
export type Identify = (call: Call, scope: LimitScope) => string | undefined

/** Tells callers apart by principal and by `context.caller`; those nobody knows share one count. */
export function identifyCaller(call: Call, scope: LimitScope): string {
  if (scope === 'user') return call.principal?.id ?? 'anonymous'
  if (scope === 'service') {
    const caller = call.context?.['caller']
    return typeof caller === 'string' ? caller : 'unknown'
  }
  return scope
}

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
