import type { Clock } from '../values/index.ts'
import type { FetchedDocument } from './documents/fetcher.ts'

/** How much may be asked for that was never had before. */
export interface FetchBudgetOptions {
  readonly perMinute: number
  readonly perMinuteAndCaller: number
  /** At one time; for one caller at most a tenth of it. */
  readonly concurrent: number
}

/** Counts requests that a caller causes. */
export interface FetchBudget {
  /** Gives what ends a request, or the refusal when too many were made; without a name no caller is counted. */
  readonly enter: (
    caller: string | undefined,
  ) => (() => void) | (FetchedDocument & { readonly ok: false })
}

interface Share {
  used: number
  running: number
}

const WINDOW_MS = 60_000

/** Creates the budget of one fetcher. */
export function createFetchBudget(clock: Clock, options: FetchBudgetOptions): FetchBudget {
  const shares = new Map<string, Share>()
  const total: Share = { used: 0, running: 0 }
  let window = Number.NEGATIVE_INFINITY

  function renew(now: number): void {
    if (now - window < WINDOW_MS) return
    window = now
    total.used = 0
    for (const [caller, share] of shares) {
      share.used = 0
      if (share.running === 0) shares.delete(caller)
    }
  }

  return {
    enter(caller) {
      const now = clock.now()
      renew(now)
      const share = (caller !== undefined && shares.get(caller)) || { used: 0, running: 0 }
      if (total.running >= options.concurrent) return refuse(1_000)
      if (total.used >= options.perMinute) return refuse(window + WINDOW_MS - now)
      if (caller !== undefined) {
        if (share.running >= Math.ceil(options.concurrent / 10)) return refuse(1_000)
        if (share.used >= options.perMinuteAndCaller) return refuse(window + WINDOW_MS - now)
        // No more callers than requests: the map cannot grow beyond the budget.
        shares.set(caller, share)
      }
      for (const counted of [total, share]) {
        counted.used += 1
        counted.running += 1
      }
      return () => {
        total.running -= 1
        share.running -= 1
      }
    },
  }
}

function refuse(retryAfterMs: number): FetchedDocument & { readonly ok: false } {
  const message = 'too many documents were requested; try again later'
  return { ok: false, code: 'rate_limited', message, retryAfterMs }
}
