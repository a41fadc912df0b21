/** How urgent a call is, from the most urgent down. */
export const PRIORITY_LEVELS = ['critical', 'high', 'normal', 'low', 'bulk'] as const

/** How urgent a call is. */
export type PriorityLevel = (typeof PRIORITY_LEVELS)[number]

/** A place among those that run. */
export interface Slot {
  /** Where the call stood in the queue, from 1; 0 when it did not wait. */
  readonly position: number
  readonly release: () => void
}

/** Lets so many run at a time, the more urgent ones first. */
export interface PriorityQueue {
  /** Gives a slot at once where one is free; undefined when too many wait already. */
  enter(level: PriorityLevel, signal: () => AbortSignal): Slot | Promise<Slot> | undefined
}

interface Waiting {
  readonly order: number
  readonly start: () => void
}

/** Every so many times the longest-waiting call comes first, however urgent the others: nobody waits for ever. */
const FAIR_TURN = 10

/** Creates a queue in front of a number of slots. */
export function createPriorityQueue(slots: number, maxWaiting: number): PriorityQueue {
  const levels = new Map(PRIORITY_LEVELS.map((level) => [level, new Set<Waiting>()]))
  let running = 0
  let waiting = 0
  let arrivals = 0
  let turns = 0

  function release(): void {
    running--
    const following = pickNext()
    if (following) following.start()
  }

  function pickNext(): Waiting | undefined {
    const heads = [...levels.values()].flatMap(([head]) => head ?? [])
    turns++
    if (turns % FAIR_TURN !== 0) return heads[0]
    return heads.reduce<Waiting | undefined>(
      (oldest, head) => (oldest === undefined || head.order < oldest.order ? head : oldest),
      undefined,
    )
  }

  function take(position: number): Slot {
    running++
    let released = false
    return {
      position,
      release() {
        if (released) return
        released = true
        release()
      },
    }
  }

  function wait(level: PriorityLevel, signal: AbortSignal): Promise<Slot> {
    const queue = levels.get(level) ?? new Set()
    const ahead = PRIORITY_LEVELS.slice(0, PRIORITY_LEVELS.indexOf(level) + 1)
    const position = ahead.reduce((sum, name) => sum + (levels.get(name)?.size ?? 0), 1)
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(entry)
        waiting--
        signal.removeEventListener('abort', give)
      }
      const give = () => {
        leave()
        reject(signal.reason)
      }
      const entry: Waiting = {
        order: arrivals++,
        start() {
          leave()
          resolve(take(position))
        },
      }
      queue.add(entry)
      waiting++
      signal.addEventListener('abort', give, { once: true })
      if (signal.aborted) give()
    })
  }

  return {
    enter(level, signal) {
      if (running < slots && waiting === 0) return take(0)
      return waiting >= maxWaiting ? undefined : wait(level, signal())
    },
  }
}
