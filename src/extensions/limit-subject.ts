import type { Call } from '../core/call.ts'

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
