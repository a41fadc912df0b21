/** A signal with an end: it lets go of what it listens to. */
export interface Scope {
  readonly signal: AbortSignal
  readonly close: () => void
}

// A longer timer fires at once.
const LONGEST_TIMER = 2_147_483_647

/**
 * Opens a signal that follows others and, if told so, ends by itself. Unlike AbortSignal.any it leaves nothing behind
 * on a signal that lives as long as the process.
 */
export function openScope(
  sources: readonly (AbortSignal | undefined)[],
  timer?: { readonly afterMs: number; readonly reason: () => unknown },
): Scope {
  const controller = new AbortController()
  const followed = sources.filter((source) => source !== undefined)
  const onAbort = (event: Event) => controller.abort((event.target as AbortSignal).reason)
  for (const source of followed) {
    if (source.aborted) controller.abort(source.reason)
    else source.addEventListener('abort', onAbort, { once: true })
  }
  const timeout =
    timer &&
    setTimeout(() => controller.abort(timer.reason()), Math.min(timer.afterMs, LONGEST_TIMER))
  return {
    signal: controller.signal,
    close() {
      clearTimeout(timeout)
      for (const source of followed) source.removeEventListener('abort', onAbort)
    },
  }
}

/** A signal that is made when somebody asks for it: most calls never do. */
export interface Abortable {
  readonly signal: () => AbortSignal
  /** Aborts once; what comes after the first reason changes nothing. */
  readonly abort: (reason?: unknown) => void
  readonly aborted: () => boolean
  /** Stops following the signal above: the work is over, or belongs to somebody else. */
  readonly detach: () => void
}

/**
 * Creates a signal that follows another one until it is detached, and ends with a reason of its own when told so.
 * `toReason` says why, instead of the reason of the followed signal.
 */
export function createAbortable(
  above?: () => AbortSignal,
  toReason: (followed?: AbortSignal) => unknown = (followed) => followed?.reason,
): Abortable {
  let controller: AbortController | undefined
  let stopped: { readonly reason: unknown } | undefined
  let followed: AbortSignal | undefined
  const abort = (reason: unknown = toReason(followed)): void => {
    if (stopped !== undefined) return
    stopped = { reason }
    controller?.abort(reason)
  }
  const onAbort = (): void => abort()
  return {
    abort,
    aborted: () => stopped !== undefined,
    detach() {
      followed?.removeEventListener('abort', onAbort)
      above = undefined
    },
    signal() {
      if (controller !== undefined) return controller.signal
      controller = new AbortController()
      if (stopped !== undefined) controller.abort(stopped.reason)
      followed = above?.()
      if (followed?.aborted) onAbort()
      else followed?.addEventListener('abort', onAbort, { once: true })
      return controller.signal
    },
  }
}

/** Waits for a promise, but not longer than a signal lasts. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Waits some time, or until the signal ends. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, Math.min(milliseconds, LONGEST_TIMER))
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
  })
}
