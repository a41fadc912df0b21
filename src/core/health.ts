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
  /** What went wrong, for the log alone: callers never see it. */
  readonly error?: unknown
}

/** A check of something the service depends on. */
export interface ComponentCheck {
  readonly check: (
    signal: AbortSignal,
  ) => Promise<ComponentHealth | undefined> | ComponentHealth | undefined
  /** Milliseconds after which the component counts as unhealthy; 2000 when absent. */
  readonly timeoutMs?: number
  /** Milliseconds for which an answer is given again instead of asking anew; 1000 when absent. */
  readonly cacheMs?: number
  /** Whether calls fail without the component, as when absent; one that is not critical is at most `degraded`. */
  readonly critical?: boolean
}

/** How a component that the service checks by itself, such as `store`, is judged. */
export type ComponentSettings = Omit<ComponentCheck, 'check'>

/** What was found about one component. */
export interface ComponentReport {
  readonly status: HealthStatus
  readonly message?: string
  readonly latencyMs: number
  /** Epoch milliseconds of the last check that did not fail. */
  readonly lastSuccess: number | undefined
}

/** The newest check of a component. */
export interface ComponentState {
  /** When it was asked, by the clock that only moves forward. */
  readonly askedAt: number
  /** Everybody who asks meanwhile waits for the same answer. */
  readonly asked: Promise<ComponentReport>
  isUnderWay: boolean
  /** Its answer, or the one before while it is under way. */
  known: ComponentReport | undefined
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
