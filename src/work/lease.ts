import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../core/index.ts'
import { type Entry, isUnavailable, type Store } from '../store/index.ts'
import { type Clock, toReason, unref } from '../values/index.ts'

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
    return unref(setTimeout(tick, leaseMs / 3))
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
  readonly stop: () => Promise<void>
}

/** Calls `renew` at an interval, one at a time, until it answers `false` or is stopped. */
export function startKeepAlive(everyMs: number, renew: () => Promise<boolean>): KeepAlive {
  let stopped = false
  let running: Promise<void> | undefined
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return unref(
      setTimeout(() => {
        running = tick()
      }, everyMs),
    )
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

/** An entry that this process holds as long as it lives. */
export interface HeldEntry extends KeepAlive {
  /** The revision under which it was renewed last. */
  readonly revision: () => number
}

/** Renews an entry until it is stopped or somebody else has written it; without an end it is gone a lease after its process. */
export function holdEntry(
  store: Store,
  entry: Pick<Entry, 'key' | 'value' | 'revision'>,
  leaseMs: number,
): HeldEntry {
  const { key, value } = entry
  let { revision } = entry
  const kept = startKeepAlive(leaseMs / 3, async () => {
    try {
      const swap = await store.compareAndSet(key, value, { revision, ttl: leaseMs })
      if (swap.swapped) revision = swap.revision
      return swap.swapped
    } catch {
      return true
    }
  })
  return { revision: () => revision, stop: kept.stop }
}

const REPEAT_MS = 250

/** Says when a write that the store does not take is not repeated any more. */
export interface RepeatOptions {
  readonly log: Logger | undefined
  /** Names the work in the log. */
  readonly id: string
  readonly isStopped: () => boolean
}

/** Repeats a write while the store is unreachable: what was done must be known when it is back. */
export async function repeatWrite<Written>(
  write: (isAgain: boolean) => Promise<Written>,
  { log, id, isStopped }: RepeatOptions,
): Promise<Written> {
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await write(isAgain)
    } catch (thrown) {
      if (isStopped() || !isUnavailable(thrown)) throw thrown
      log?.warn('what was done cannot be recorded yet', { work: id, reason: toReason(thrown) })
      await sleep(REPEAT_MS, undefined, { ref: false })
    }
  }
}
