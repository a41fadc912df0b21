import type {
  ComponentCheck,
  ComponentHealth,
  ComponentReport,
  ComponentSettings,
  ComponentState,
  HealthStatus,
  Service,
} from '../core/index.ts'
import type { Store } from '../store/index.ts'
import { openScope, untilAborted } from '../values/index.ts'
import type { JobQueue } from '../work/index.ts'

const TIMEOUT_MS = 2_000
/** Probes, metrics and callers ask side by side; no dependency is asked more often for them than this. */
const CACHE_MS = 1_000

/** Gives the state of a component: checks it, joins a check under way, or gives the answer of a moment ago. */
export function checkComponent(
  service: Service,
  name: string,
  check: ComponentCheck,
  signal: AbortSignal,
): Promise<ComponentReport> {
  const { componentStates: states, clock } = service
  const kept = states.get(name)
  const isFresh = kept && clock.elapsed() - kept.askedAt < (check.cacheMs ?? CACHE_MS)
  if (kept && (isFresh || kept.isUnderWay)) return awaitReport(kept, check, signal)
  const asked = runCheck(service, name, check, kept?.known)
  const askedAt = clock.elapsed()
  const state: ComponentState = { askedAt, asked, isUnderWay: true, known: kept?.known }
  states.set(name, state)
  void asked.then((report) => {
    state.known = report
    state.isUnderWay = false
  })
  return awaitReport(state, check, signal)
}

/** Whoever cannot wait for the check gets what is known: that it has not answered. */
function awaitReport(
  { asked, known }: ComponentState,
  check: ComponentCheck,
  signal: AbortSignal,
): Promise<ComponentReport> {
  return untilAborted(asked, signal).catch(() => ({
    status: judge('unhealthy', check),
    message: 'No answer yet',
    latencyMs: 0,
    lastSuccess: known?.lastSuccess,
  }))
}

function judge(status: HealthStatus, { critical }: ComponentCheck): HealthStatus {
  return critical === false && status === 'unhealthy' ? 'degraded' : status
}

/** Checks a component; one that throws or hangs is unhealthy. What changed is logged, once. */
async function runCheck(
  { clock, log }: Service,
  name: string,
  check: ComponentCheck,
  before: ComponentReport | undefined,
): Promise<ComponentReport> {
  const started = clock.elapsed()
  const { error, ...found } = await settle(check)
  const latencyMs = clock.elapsed() - started
  const status = judge(found.status, check)
  const failed = found.status === 'unhealthy'
  if (status !== (before?.status ?? 'healthy')) {
    const facts = { component: name, status, ...(found.message && { reason: found.message }) }
    if (status === 'healthy') log.info?.('a component is healthy again', facts)
    else if (failed)
      log.warn('a health check failed', { ...facts, ...(error !== undefined && { error }) })
    else log.warn('a component is degraded', facts)
  }
  return { ...found, status, latencyMs, lastSuccess: failed ? before?.lastSuccess : clock.now() }
}

/** Answers what the check found; how it failed is for the log, only that it failed is for callers. */
async function settle(check: ComponentCheck): Promise<ComponentHealth> {
  const timeoutMs = check.timeoutMs ?? TIMEOUT_MS
  // Not the signal of whoever asks: others wait for the same answer.
  const scope = openScope([], { afterMs: timeoutMs })
  try {
    const asked = Promise.resolve(check.check(scope.signal))
    return (await untilAborted(asked, scope.signal)) ?? HEALTHY
  } catch (error) {
    if (scope.signal.aborted)
      return { status: 'unhealthy', message: `No answer within ${timeoutMs} ms` }
    return { status: 'unhealthy', message: 'The check failed', error }
  } finally {
    scope.close()
  }
}

const HEALTHY: ComponentHealth = { status: 'healthy' }

type GivenChecks = Readonly<Record<string, ComponentCheck | ComponentSettings | false>>

/** Joins what a service checks by itself with the checks and settings it is given. */
export function listChecks(
  parts: OwnParts,
  given: GivenChecks = {},
): Record<string, ComponentCheck> {
  const checks = new Map(Object.entries(ownChecks(parts)))
  for (const [name, one] of Object.entries(given)) {
    const own = checks.get(name)
    if (one === false) checks.delete(name)
    else if ('check' in one) checks.set(name, one)
    else if (own) checks.set(name, { ...own, ...one })
    else if (!OWN.includes(name)) throw new TypeError(`health.${name}.check must be a function`)
  }
  return Object.fromEntries(checks)
}

interface OwnParts {
  readonly store: Store | undefined
  readonly jobs: JobQueue | undefined
}

const OWN: readonly string[] = ['store', 'disk', 'queue', 'workers']

/** Most calls go on without these, so none of them takes the service out of rotation unless it is told to. */
function ownChecks({ store, jobs }: OwnParts): Record<string, ComponentCheck> {
  const freeBytes = store?.freeBytes
  const look = jobs?.look
  return {
    ...(store && { store: { critical: false, check: () => checkStore(store) } }),
    ...(freeBytes && {
      disk: { critical: false, check: async () => judgeDisk(await freeBytes()) },
    }),
    ...(look && {
      queue: { ...SELDOM, check: async () => judgeQueue((await look()).lagMs) },
      workers: { ...SELDOM, check: async () => judgeWorkers((await look()).stuck) },
    }),
  }
}

/** Every name of the queue is looked at. */
const SELDOM: ComponentSettings = { critical: false, cacheMs: 5_000 }

async function checkStore(store: Store): Promise<ComponentHealth | undefined> {
  try {
    await store.check()
    return undefined
  } catch (error) {
    const message = `The ${store.kind} store cannot be read and written`
    return { status: 'unhealthy', message, error }
  }
}

const MEGABYTE = 1024 * 1024
/** Below the first the next checkpoint of a busy service may not fit, below the second hardly anything does. */
const LOW_DISK = 100 * MEGABYTE
const FULL_DISK = 10 * MEGABYTE

function judgeDisk(free: number): ComponentHealth {
  const message = `${Math.floor(free / MEGABYTE)} MB are free where the store keeps its file`
  if (free >= LOW_DISK) return HEALTHY
  return { status: free < FULL_DISK ? 'unhealthy' : 'degraded', message }
}

/** Jobs that nobody takes for so long: there are too few workers, or none. */
const LATE_MS = 60_000

function judgeQueue(lagMs: number): ComponentHealth {
  if (lagMs < LATE_MS) return HEALTHY
  const message = `The oldest job that may run has waited for ${Math.round(lagMs / 1_000)} s`
  return { status: 'degraded', message }
}

function judgeWorkers(stuck: readonly string[]): ComponentHealth {
  if (stuck.length === 0) return HEALTHY
  return { status: 'degraded', message: `Jobs cannot be taken: ${stuck.join(', ')}` }
}
