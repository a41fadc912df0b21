import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../core/index.ts'
import { isUnavailable, type Store } from '../store/index.ts'
import { type Clock, type Json, systemClock, toReason, unref } from '../values/index.ts'

/** Something that is renewed again and again until it is stopped. */
export interface KeepAlive {
  /** Stops renewing; settles when a renewal that is under way has. */
  readonly stop: () => Promise<void>
}

/**
 * Calls `renew` at an interval, one at a time, until it answers `false` or is stopped. One that answers a number of
 * milliseconds is called again after them.
 */
export function startKeepAlive(everyMs: number, renew: () => Promise<boolean | number>): KeepAlive {
  let stopped = false
  let running: Promise<void> | undefined
  let timer = schedule(everyMs)

  function schedule(waitMs: number): NodeJS.Timeout {
    return unref(
      setTimeout(() => {
        running = tick()
      }, waitMs),
    )
  }

  async function tick(): Promise<void> {
    const goOn = await renew()
    running = undefined
    if (goOn !== false && !stopped) timer = schedule(goOn === true ? everyMs : goOn)
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** An entry that its owner keeps as long as it lives. */
export interface HoldOptions {
  readonly key: string
  readonly value: Json
  readonly revision: number
  readonly owner: string
  readonly leaseMs: number
  readonly clock?: Pick<Clock, 'elapsed'>
  /** Milliseconds for which it is renewed at all; for ever when absent. */
  readonly maxMs?: number
  /** Told of each renewal, with the moment from which it counts for sure. */
  readonly onRenewed?: (sureAt: number) => void
  /** Told when somebody else has it, or may have it: it could not be renewed in time. */
  readonly onLost?: () => void
}

/** An entry that is renewed. */
export interface HeldEntry extends KeepAlive {
  /** The revision under which it was renewed last. */
  readonly revision: () => number
}

/** A lease holds this many renewals that are tried again. */
const SOON = 15

/** Renews an entry three times as often as it ends, until it is stopped or lost. */
export function holdEntry(store: Store, options: HoldOptions): HeldEntry {
  const { key, value, owner, leaseMs, clock = systemClock, onRenewed, onLost } = options
  const begunAt = clock.elapsed()
  let { revision } = options
  let sureAt = begunAt

  function lose(): false {
    onLost?.()
    return false
  }

  async function renew(): Promise<boolean | number> {
    const askedAt = clock.elapsed()
    if (askedAt - begunAt <= (options.maxMs ?? Number.POSITIVE_INFINITY)) {
      const swap = await store
        .compareAndSet(key, value, { revision, ttl: leaseMs })
        .catch(() => undefined)
      if (swap?.swapped) {
        revision = swap.revision
        sureAt = askedAt
        onRenewed?.(sureAt)
        return true
      }
      if (swap && swap.entry?.owner !== owner) return lose()
      // A renewal that was reported as failed happened after all.
      if (swap?.entry) revision = swap.entry.revision
    }
    // A store that is away is asked again, and soon: one that is back within the lease must cost nobody anything. The
    // entry is ours until its time is up, and no longer.
    return clock.elapsed() - sureAt < leaseMs ? leaseMs / SOON : lose()
  }

  const { stop } = startKeepAlive(leaseMs / 3, renew)
  return { revision: () => revision, stop }
}

/** The name under which a process is known to live; it changes when the process may have been taken for dead. */
export interface Sign {
  readonly token: string
  /** Aborts when others may have taken over what was done under the name. */
  readonly lost: AbortSignal
}

/** Tells processes that share a store who of them lives: what a dead one was doing is taken over. */
export interface Presence {
  readonly enter: () => Promise<Sign>
  readonly isAlive: (token: string) => Promise<boolean>
  readonly leave: () => Promise<void>
}

/** How a process shows that it lives. */
export interface PresenceOptions {
  readonly keyOf: (token: string) => string
  readonly leaseMs: number
  readonly clock?: Pick<Clock, 'elapsed'>
  /** Lets the sign go while there is nothing to be taken over; it is kept when absent. */
  readonly isIdle?: () => boolean
}

/** Creates the presence of one process; it begins with the first `enter`. */
export function createPresence(store: Store, options: PresenceOptions): Presence {
  const { keyOf, leaseMs, clock = systemClock, isIdle } = options
  let here: Promise<Sign & { readonly leave: () => Promise<void> }> | undefined

  async function begin() {
    const token = randomUUID()
    const loss = new AbortController()
    // Everything that runs listens to it: many are no leak.
    setMaxListeners(0, loss.signal)
    const entry = { key: keyOf(token), value: 1, owner: token }
    const askedAt = clock.elapsed()
    const { revision } = await store.put(entry.key, 1, { ttl: leaseMs, owner: token })
    // Not by the renewal: one that the store holds up says nothing while others see the sign run out.
    let expiry = expireAfter(askedAt)
    const { stop } = holdEntry(store, {
      ...entry,
      revision,
      leaseMs,
      clock,
      onRenewed(sureAt) {
        clearTimeout(expiry)
        if (loss.signal.aborted) return
        expiry = expireAfter(sureAt)
        if (isIdle?.()) void leave()
      },
      onLost: lose,
    })

    function expireAfter(sureAt: number): NodeJS.Timeout {
      return unref(setTimeout(lose, leaseMs - (clock.elapsed() - sureAt)))
    }

    function lose(): void {
      if (loss.signal.aborted) return
      clearTimeout(expiry)
      here = undefined
      loss.abort(new Error('The job may have been given to another process'))
      void stop()
    }

    const end = async () => {
      clearTimeout(expiry)
      await stop()
      clearTimeout(expiry)
      await store.delete(entry.key).catch(() => {})
    }
    return { token, lost: loss.signal, leave: end }
  }

  async function leave(): Promise<void> {
    const last = here
    here = undefined
    await (await last?.catch(() => undefined))?.leave()
  }

  return {
    enter() {
      here ??= begin().catch((thrown: unknown) => {
        here = undefined
        throw thrown
      })
      return here
    },
    isAlive: async (token) => (await store.get(keyOf(token))) !== undefined,
    leave,
  }
}

/** Waits for a promise, but no longer than a time. */
export async function withinTime<Value>(
  answer: Promise<Value>,
  milliseconds: number,
  late: () => Error = () => new Error(`no answer within ${milliseconds} ms`),
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  // The loser of the race may still reject when nobody listens any more.
  answer.catch(() => {})
  try {
    return await Promise.race([answer, expired])
  } finally {
    clearTimeout(timer)
  }
}

/** Lets runs finish, but no longer than a time. */
export async function allEnded(
  running: ReadonlyMap<string, { readonly ended: Promise<unknown> }>,
  milliseconds: number,
): Promise<void> {
  if (running.size === 0 || milliseconds <= 0) return
  const all = Promise.all([...running.values()].map(({ ended }) => ended))
  await withinTime(all, milliseconds).catch(() => {})
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
  write: () => Promise<Written>,
  { log, id, isStopped }: RepeatOptions,
): Promise<Written> {
  for (;;) {
    try {
      return await write()
    } catch (thrown) {
      if (isStopped() || !isUnavailable(thrown)) throw thrown
      log?.warn('what was done cannot be recorded yet', { work: id, reason: toReason(thrown) })
      await sleep(REPEAT_MS, undefined, { ref: false })
    }
  }
}
