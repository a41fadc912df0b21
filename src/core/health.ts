import type { Duration } from '../values/index.ts'

/** How well a function works right now. */
export interface FunctionHealth {
  readonly status: 'healthy' | 'degraded' | 'disabled' | 'maintenance'
  readonly message?: string
  /** RFC 3339; when the state is expected to end. */
  readonly until?: string
  readonly retryAfter?: Duration
}

/** What an extension knows about the state of the service. */
export interface ServiceHealth {
  /** Set while the whole service is down for maintenance. */
  readonly maintenance?: { readonly reason: string; readonly until?: string }
  /** States of functions, by name. */
  readonly functions?: Readonly<Record<string, FunctionHealth>>
}

/** How well the service or one of its components works. */
export type HealthStatus = 'healthy' | 'degraded' | 'unhealthy'

/** What a component check answers; nothing means healthy. */
export interface ComponentHealth {
  readonly status: HealthStatus
  readonly message?: string
}

/** A check of something the service depends on. */
export interface ComponentCheck {
  readonly check: (
    signal: AbortSignal,
  ) => Promise<ComponentHealth | undefined> | ComponentHealth | undefined
  /** Milliseconds after which the component counts as unhealthy; 2000 when absent. */
  readonly timeoutMs?: number
}

/** What was found about one component. */
export interface ComponentReport extends ComponentHealth {
  readonly latencyMs: number
  /** Epoch milliseconds of the last check that did not fail. */
  readonly lastSuccess: number | undefined
}

/** Gives the worst of several states, healthy when there are none. */
export function worstStatus(statuses: Iterable<HealthStatus>): HealthStatus {
  let worst: HealthStatus = 'healthy'
  for (const status of statuses) if (RANK[status] > RANK[worst]) worst = status
  return worst
}

/** Gives what the state of a function means for the whole service. */
export function toServiceStatus(health: FunctionHealth): HealthStatus {
  return health.status === 'healthy' ? 'healthy' : 'degraded'
}

const RANK = { healthy: 0, degraded: 1, unhealthy: 2 } as const satisfies Record<
  HealthStatus,
  number
>
