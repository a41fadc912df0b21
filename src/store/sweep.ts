import type { Swept } from './backend.ts'

/** How expired entries are removed in the background. */
export interface SweepOptions {
  /** Milliseconds between rounds while there is something to remove; 1,000 when absent. */
  readonly interval?: number
  /** The most entries removed in one round; 500 when absent. */
  readonly batch?: number
}

const SOON = 20
const IDLE_FACTOR = 30

/** Starts removing expired entries until the answered function is called. */
export function startSweeping(
  sweep: (batch: number) => Promise<Swept>,
  { interval = 1000, batch = 500 }: SweepOptions,
): () => void {
  let wait = interval
  let stopped = false
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return setTimeout(round, wait).unref()
  }

  async function round(): Promise<void> {
    // A failed round costs nothing: expired entries are invisible anyway, and the next round comes.
    const swept = await sweep(batch).catch(() => 'none')
    if (stopped) return
    // A thousand idle processes must not ask the one database every second.
    if (swept === 'none') wait = Math.min(Math.max(wait * 2, interval), interval * IDLE_FACTOR)
    else wait = swept === 'some' ? interval : Math.min(SOON, interval)
    timer = schedule()
  }

  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** Tells from a number of removed entries whether there are likely more. */
export function toSwept(removed: number, limit: number): Swept {
  if (removed === 0) return 'none'
  return removed < limit ? 'some' : 'many'
}
