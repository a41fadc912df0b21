import { parseExactJson } from '../../../core/exact-json.ts'

/** Reads the body of a message: JSON where it is JSON, text otherwise. */
export function parseBody(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Remembers work that must end before receiving is over. */
export interface Working {
  readonly add: (work: Promise<void>) => void
  readonly count: () => number
  /** Resolves when one piece of work has ended. */
  readonly next: () => Promise<unknown>
  readonly all: () => Promise<unknown>
}

/** Creates what remembers work. */
export function createWorking(): Working {
  const works = new Set<Promise<void>>()
  return {
    add: (given) => {
      const work = given.finally(() => works.delete(work))
      works.add(work)
    },
    count: () => works.size,
    next: () => Promise.race(works),
    all: () => Promise.all(works),
  }
}
