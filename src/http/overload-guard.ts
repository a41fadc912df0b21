import type { Service } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import type { HttpResponse } from '../wire/index.ts'
import type { App } from './app.ts'
import { createOverload, type Overload, type OverloadOptions } from './overload.ts'

/** What keeps calls away from a process that has enough of them, as `overload()` gives it. */
export interface OverloadGuard {
  /** Stands before the calls of an app; createApp calls it. */
  readonly attach: (service: Service, app: GuardedApp) => OverloadGate
}

/** What a guard has to know of its app. */
export interface GuardedApp {
  /** Words a refusal in the form of the surface at a path. */
  readonly refuse: (path: string, error: CallError) => HttpResponse
  /** Tells whether a path is always answered. */
  readonly isExempt: (path: string) => boolean
}

/** A guard in its place. */
export interface OverloadGate extends Pick<App, 'refuseEarly' | 'load'> {
  readonly around?: (handle: App['handle']) => App['handle']
}

/**
 * Refuses calls with 503 and `Retry-After` while there are more than the process can take.
 *
 * @example
 * createApp(service, { surfaces: [forrst()], overload: overload({ maxInFlight: 200 }) })
 */
export function overload(options: OverloadOptions = {}): OverloadGuard {
  return { attach: (service, app) => createGate(createOverload(options), service, app) }
}

/** How often it is said that calls are refused. */
const NOTICE_MS = 10_000

/** Puts every request but probes behind the gate. */
function createGate(
  { retryAfterSeconds, isFull, load, run }: Overload,
  { log, clock }: Service,
  { refuse, isExempt }: GuardedApp,
): OverloadGate {
  let refusedEarly = 0
  let noticedAt = Number.NEGATIVE_INFINITY
  const refuseBusy = (path: string): HttpResponse => {
    if (clock.elapsed() - noticedAt > NOTICE_MS) {
      noticedAt = clock.elapsed()
      log.warn('calls are refused: the process is overloaded', { ...load() })
    }
    return refuse(
      path,
      new CallError('UNAVAILABLE', {
        message: 'The service is overloaded; try again later',
        details: { retry_after: { value: retryAfterSeconds, unit: 'second' } },
        status: 503,
      }),
    )
  }
  return {
    load: () => {
      const { refused, ...rest } = load()
      return { ...rest, refused: refused + refusedEarly }
    },
    refuseEarly(path) {
      if (isExempt(path) || !isFull()) return undefined
      refusedEarly += 1
      return refuseBusy(path)
    },
    around: (handle) => (request) =>
      isExempt(request.path)
        ? handle(request)
        : run(
            () => handle(request),
            () => refuseBusy(request.path),
          ),
  }
}
