import type { Clock } from '../core/clock.ts'

/** A lease that is renewed until it is let go or lost. */
export interface HeldLease {
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal
  /** Stops renewing. */
  letGo(): void
}

/** How a lease is kept. */
export interface HoldLeaseOptions {
  readonly leaseMs: number
  readonly clock: Pick<Clock, 'elapsed'>
  /** Renews the lease; `false` when somebody else may have it. */
  readonly renew: () => Promise<boolean>
}

/** Renews a lease three times as often as it ends; one that could not be renewed in time counts as lost. */
export function holdLease({ leaseMs, clock, renew }: HoldLeaseOptions): HeldLease {
  const loss = new AbortController()
  let held = true
  let renewedAt = clock.elapsed()
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return setTimeout(tick, leaseMs / 3).unref()
  }

  async function tick(): Promise<void> {
    const startedAt = clock.elapsed()
    // A backend that is away is asked again; only an answer, or the end of the lease, ends it.
    const answer = await renew().catch(() => undefined)
    if (!held) return
    if (answer === true) renewedAt = startedAt
    if (answer === false || clock.elapsed() - renewedAt > leaseMs) {
      held = false
      loss.abort(new Error('The job may have been given to another process'))
    } else timer = schedule()
  }

  return {
    lost: loss.signal,
    letGo() {
      held = false
      clearTimeout(timer)
    },
  }
}
