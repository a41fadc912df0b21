/** Takes reports of progress as often as they come, and writes them down now and then. */
export interface ProgressWriter {
  readonly report: (fraction: number, message?: string) => void
  /** Stops writing; settles when a write that is under way has. */
  readonly stop: () => Promise<void>
}

/** A report, ready to be stored. */
export interface Progress {
  readonly progress: number
  readonly message?: string
}

const LONGEST_MESSAGE = 500

/** Creates a writer that writes the first report at once and then the newest one per interval. */
export function createProgressWriter(
  everyMs: number,
  write: (progress: Progress) => Promise<void>,
): ProgressWriter {
  let newest: Progress | undefined
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function flush(): void {
    timer = undefined
    if (newest === undefined || stopped) return
    const progress = newest
    newest = undefined
    writing = write(progress).finally(() => {
      writing = undefined
      if (!stopped) timer = setTimeout(flush, everyMs).unref()
    })
  }

  return {
    report(fraction, message) {
      if (!Number.isFinite(fraction)) return
      newest = {
        progress: Math.min(1, Math.max(0, fraction)),
        ...(message !== undefined && { message: String(message).slice(0, LONGEST_MESSAGE) }),
      }
      if (timer === undefined && writing === undefined) flush()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await writing
    },
  }
}
