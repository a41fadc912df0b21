import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../values/index.ts'

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

/** Something that is renewed again and again until it is stopped. */
export interface KeepAlive {
  /** Stops renewing; settles when a renewal that is under way has. */
  stop(): Promise<void>
}

/** Calls `renew` at an interval, one at a time, until it answers `false` or is stopped. */
export function startKeepAlive(everyMs: number, renew: () => Promise<boolean>): KeepAlive {
  let stopped = false
  let running: Promise<void> | undefined
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return setTimeout(() => {
      running = tick()
    }, everyMs).unref()
  }

  async function tick(): Promise<void> {
    const goOn = await renew()
    running = undefined
    if (goOn && !stopped) timer = schedule()
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

const REPEAT_MS = 250

/** Repeats a write until it succeeds, or until `onFailure` throws: what was done must be known when the store is back. */
export async function repeatWrite<Written>(
  write: () => Promise<Written>,
  onFailure: (thrown: unknown) => void,
): Promise<Written> {
  for (;;) {
    try {
      return await write()
    } catch (thrown) {
      onFailure(thrown)
      await sleep(REPEAT_MS, undefined, { ref: false })
    }
  }
}
