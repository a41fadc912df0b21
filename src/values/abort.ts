/** A signal that follows others until it is closed. */
export interface Scope {
  readonly signal: AbortSignal
  readonly close: () => void
}

// A longer timer fires at once.
const LONGEST_TIMER = 2_147_483_647

/** When a scope aborts by itself, and with which reason; a TimeoutError when absent. */
export interface ScopeTimer {
  readonly afterMs: number
  readonly reason?: () => unknown
}

const timeoutError = () => new DOMException('The time is up', 'TimeoutError')

/**
 * Opens a signal that follows others and may abort after some time. Unlike AbortSignal.any it leaves nothing behind on a
 * signal that lives as long as the process; Node 20 keeps every joined signal alive there.
 */
export function openScope(
  sources: readonly (AbortSignal | undefined)[],
  timer?: ScopeTimer,
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
    setTimeout(
      () => controller.abort((timer.reason ?? timeoutError)()),
      Math.min(timer.afterMs, LONGEST_TIMER),
    )
  return {
    signal: controller.signal,
    close() {
      clearTimeout(timeout)
      for (const source of followed) source.removeEventListener('abort', onAbort)
    },
  }
}

/** Does some work with a signal of `openScope`, and closes it afterwards. */
export async function runInScope<Value>(
  sources: readonly (AbortSignal | undefined)[],
  timer: ScopeTimer | undefined,
  work: (signal: AbortSignal) => Value | Promise<Value>,
): Promise<Value> {
  const { signal, close } = openScope(sources, timer)
  try {
    return await work(signal)
  } finally {
    close()
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
