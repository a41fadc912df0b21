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
  sweep: (batch: number) => Promise<number>,
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
    const removed = await sweep(batch).catch(() => 0)
    if (stopped) return
    // A thousand idle processes must not ask the one database every second.
    if (removed === 0) wait = Math.min(wait * 2, interval * IDLE_FACTOR)
    else wait = removed < batch ? interval : SOON
    timer = schedule()
  }

  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
