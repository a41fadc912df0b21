import type { CallError } from '../errors/index.ts'
import type { Call } from './call.ts'

/** A signal that ends with its call, or before. */
export interface Abortable {
  readonly signal: () => AbortSignal
  readonly abort: (reason: CallError) => void
}

/** Joins the signal of a call with a reason of our own; it is made when asked for, because most handlers never do. */
export function createAbortable(call: Pick<Call, 'signal'>): Abortable {
  let own: AbortController | undefined
  let combined: AbortSignal | undefined
  let aborted: CallError | undefined
  return {
    signal() {
      if (combined !== undefined) return combined
      own = new AbortController()
      if (aborted !== undefined) own.abort(aborted)
      combined = AbortSignal.any([call.signal(), own.signal])
      return combined
    },
    abort(reason) {
      aborted = reason
      own?.abort(reason)
    },
  }
}
