import { toBackoff, whenAborted } from '../queue/runner.ts'

/** Waits until files are left alone, each on its own. */
export interface Settler {
  /** A file may have changed: it is looked at when nothing more is heard of it for a while. */
  readonly hint: (path: string) => void
  readonly trouble: () => string | undefined
  readonly stop: (signal: AbortSignal) => Promise<void>
}

/** How files settle. */
export interface SettlerOptions {
  readonly settleMs: number
  readonly maxPending: number
  /** Looks at a file, one look per file at a time; answers after how many milliseconds to look again, if at all. */
  readonly look: (path: string) => Promise<number | undefined>
  /** Told at the first look that failed; it is repeated until it succeeds. */
  readonly onFailure: (error: unknown) => void
  /** More files wait than may: some hints were dropped. */
  readonly onOverflow: () => void
  /** Nothing waits any more after an overflow. */
  readonly onDrained: () => void
}

/** Makes a settler. */
export function createSettler(options: SettlerOptions): Settler {
  const { settleMs, maxPending } = options
  const pending = new Map<string, ReturnType<typeof setTimeout>>()
  const looking = new Map<string, Promise<void>>()
  let hasOverflown = false
  let failures = 0
  let isStopped = false

  function hint(path: string): void {
    if (isStopped) return
    if (!pending.has(path) && pending.size >= maxPending) {
      if (!hasOverflown) options.onOverflow()
      hasOverflown = true
      return
    }
    lookIn(path, settleMs)
  }

  function lookIn(path: string, delayMs: number): void {
    clearTimeout(pending.get(path))
    pending.set(
      path,
      setTimeout(() => start(path), delayMs),
    )
  }

  function start(path: string): void {
    if (looking.has(path)) {
      lookIn(path, settleMs)
      return
    }
    pending.delete(path)
    const look = lookAt(path).finally(() => looking.delete(path))
    looking.set(path, look)
  }

  async function lookAt(path: string): Promise<void> {
    let againMs: number | undefined
    try {
      againMs = await options.look(path)
      failures = 0
    } catch (error) {
      if (failures === 0) options.onFailure(error)
      failures += 1
      againMs = Math.max(toBackoff(Math.min(failures, 7)), settleMs)
    }
    if (isStopped) return
    if (againMs !== undefined && !pending.has(path)) lookIn(path, againMs)
    if (!hasOverflown || pending.size > 0) return
    hasOverflown = false
    options.onDrained()
  }

  return {
    hint,
    trouble: () => (failures > 0 ? 'cannot store deliveries, trying again' : undefined),
    async stop(signal) {
      isStopped = true
      for (const timer of pending.values()) clearTimeout(timer)
      await Promise.race([Promise.allSettled(looking.values()), whenAborted(signal)])
    },
  }
}
