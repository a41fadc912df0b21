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
