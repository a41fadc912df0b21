import { unref } from '../values/index.ts'
/** Fails what takes too long, with one slow timer for everything instead of one timer each. */
export interface Deadlines {
  /** Answers the promise, or rejects somewhat later than the time limit if it has not settled by then. */
  bind<Answer>(answer: Promise<Answer>): Promise<Answer>
}

/** What deadlines can be told. */
export interface DeadlinesOptions {
  /** The time limit in milliseconds. */
  readonly timeout: number
  /** Called when something was too late. */
  readonly onLate: () => void
}

interface Pending {
  /** The tick in which it began: reading a clock for every operation would cost more than the rest. */
  readonly began: number
  readonly reject: (reason: Error) => void
}

const TICKS = 8

/** Creates deadlines that all have the same time limit. */
export function createDeadlines({ timeout, onLate }: DeadlinesOptions): Deadlines {
  // In order of their start, so that only the first ones have to be looked at.
  const pending = new Set<Pending>()
  let now = 0
  let ticking = false

  function tick(): void {
    now++
    let late = false
    for (const one of pending) {
      // One tick more than the limit: it may have begun right before one.
      if (now - one.began <= TICKS) break
      pending.delete(one)
      one.reject(new Error(`no answer within ${timeout} ms`))
      late = true
    }
    ticking = false
    if (pending.size > 0) start()
    if (late) onLate()
  }

  function start(): void {
    ticking = true
    unref(setTimeout(tick, Math.ceil(timeout / TICKS)))
  }

  return {
    bind(answer) {
      return new Promise((resolve, reject) => {
        const one = { began: now, reject }
        pending.add(one)
        if (!ticking) start()
        answer.then(
          (value) => {
            pending.delete(one)
            resolve(value)
          },
          (reason) => {
            pending.delete(one)
            reject(reason)
          },
        )
      })
    },
  }
}

/** Says that a store was written by a later version of this package. */
export function newerSchema(name: string, found: number, known: number): TypeError {
  return new TypeError(
    `The store ${name} has schema version ${found}, but this version of waymark knows only ${known}: upgrade waymark or use another store`,
  )
}
