import { CallError } from '../core/error.ts'

/** A signal that is only made when somebody asks for it: most calls never do. */
export interface Abortable {
  readonly signal: () => AbortSignal
  readonly abort: (reason?: CallError) => void
  readonly aborted: () => boolean
  /** Stops following the signal above: the work now belongs to somebody else. */
  readonly detach: () => void
}

/** Creates a signal that follows another one until it is detached. */
export function createAbortable(above?: () => AbortSignal): Abortable {
  let controller: AbortController | undefined
  let stopped: CallError | undefined
  let followed: AbortSignal | undefined
  const abort = (reason = new CallError('CANCELLED')): void => {
    if (stopped !== undefined) return
    stopped = reason
    controller?.abort(reason)
  }
  const leave = (): void => abort()
  return {
    abort,
    aborted: () => stopped !== undefined,
    detach() {
      followed?.removeEventListener('abort', leave)
      above = undefined
    },
    signal() {
      if (controller !== undefined) return controller.signal
      controller = new AbortController()
      if (stopped !== undefined) controller.abort(stopped)
      followed = above?.()
      if (followed?.aborted) leave()
      else followed?.addEventListener('abort', leave, { once: true })
      return controller.signal
    },
  }
}
