import type { Acquisition } from './lock-lease.ts'

/** Those who wait in this process for a lock, so that a release next door is noticed at once. */
export interface LockQueue {
  readonly wait: (fullKey: string, ms: number, signal: AbortSignal) => Promise<void>
  /** Wakes the one that waits longest. */
  readonly wake: (fullKey: string) => void
}

/** How long a wait may take. */
export interface WaitOptions {
  readonly fullKey: string
  readonly queue: LockQueue
  /** Aborts when the time is up or the caller has left. */
  readonly signal: AbortSignal
}

const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 250

/** Tries again and again to take a lock until the signal aborts; the pauses grow and differ, so that waiters spread. */
export async function waitForLock(
  attempt: () => Promise<Acquisition>,
  { fullKey, queue, signal }: WaitOptions,
): Promise<Acquisition> {
  let pause = FIRST_PAUSE_MS
  let last = await attempt()
  while (!last.acquired && !signal.aborted) {
    const jittered = pause * (0.5 + Math.random())
    await queue.wait(fullKey, Math.min(jittered, last.heldForMs + 1), signal)
    if (signal.aborted) break
    last = await attempt()
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
  return last
}

/** Creates an empty queue. */
export function createLockQueue(): LockQueue {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wait(fullKey, ms, signal) {
      return new Promise((resolve) => {
        const others = waiting.get(fullKey) ?? new Set()
        waiting.set(fullKey, others)
        const finish = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', finish)
          others.delete(finish)
          if (others.size === 0) waiting.delete(fullKey)
          resolve()
        }
        const timer = setTimeout(finish, ms)
        signal.addEventListener('abort', finish, { once: true })
        others.add(finish)
        if (signal.aborted) finish()
      })
    },
    wake(fullKey) {
      const [first] = waiting.get(fullKey) ?? []
      first?.()
    },
  }
}
