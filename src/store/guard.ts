import type { Service } from '../core/index.ts'
import { CallError } from '../errors/index.ts'

/** What becomes of a call when the store of an extension is away: it is refused, or goes on without the extension. */
export type OnStoreFailure = 'refuse' | 'proceed'

/** Asks a store, and decides what a failure means for the call. */
export interface StoreGuard {
  /** Answers what the operation gives; where calls proceed without the store, a failure gives the fallback instead. */
  ask<Result, Fallback>(
    service: Pick<Service, 'clock' | 'log'>,
    operation: () => Promise<Result>,
    fallback: Fallback,
  ): Promise<Result | Fallback>
}

/** Calls that can do without the store do not wait for its time-outs one after the other. */
const PAUSE_MS = 1_000

/** Creates the guard of one extension. */
export function createStoreGuard(extension: string, mode: OnStoreFailure): StoreGuard {
  let pausedUntil = Number.NEGATIVE_INFINITY
  if (mode !== 'refuse' && mode !== 'proceed') {
    throw new TypeError(`${extension}: onStoreFailure must be 'refuse' or 'proceed'`)
  }
  // Who is refused anyway sees the failure as it is; there is nothing to decide.
  if (mode === 'refuse') return { ask: (_, operation) => operation() }
  return {
    async ask({ clock, log }, operation, fallback) {
      if (clock.elapsed() < pausedUntil) return fallback
      try {
        return await operation()
      } catch (thrown) {
        if (!isUnavailable(thrown)) throw thrown
        pausedUntil = clock.elapsed() + PAUSE_MS
        log.warn('a call proceeds without its store', { extension, error: thrown })
        return fallback
      }
    },
  }
}

/** Tells whether a store could not be asked, as against what it refuses to hold. */
export function isUnavailable(thrown: unknown): boolean {
  return thrown instanceof CallError && thrown.code === 'UNAVAILABLE'
}
