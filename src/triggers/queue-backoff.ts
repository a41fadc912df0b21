import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 200
const LONGEST_MS = 30_000

/** Gives the time before the next attempt to reach a server: doubled up to half a minute, spread by chance. */
export function toBackoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempt, 16), LONGEST_MS)
  return Math.round(full / 2 + (full / 2) * random())
}

/** Waits, or returns early when the signal aborts. */
export async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
