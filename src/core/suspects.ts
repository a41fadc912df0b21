import { AsyncLocalStorage } from 'node:async_hooks'

/** Where one function stands: how many of its calls run, and when the last began, counted in calls. */
export interface Seat {
  readonly name: string
  running: number
  last: number
}

/** Knows which functions an error may come from that nobody awaited. */
export interface Suspects {
  readonly seat: (name: string) => Seat
  /** Runs a call of a function. */
  readonly run: <Input, Value>(seat: Seat, work: (input: Input) => Value, input: Input) => Value
  /**
   * Names the functions that may have caused what was just thrown. The first time these are the ones that run or began
   * last; asking once has later calls followed through everything they start, which costs each of them about a
   * microsecond, and then it is exactly one.
   */
  readonly accuse: () => readonly string[]
}

/** How many functions are named at most. */
const MOST_NAMED = 5
/** Among how many of the latest calls one is looked for that has ended before its error came. */
const RECENT = 20

/** Creates what finds the function behind an error on the side. Until one happens it only counts. */
export function createSuspects(): Suspects {
  const seats = new Map<string, Seat>()
  let calls = 0
  let following: AsyncLocalStorage<string> | undefined
  return {
    seat(name) {
      const seat = seats.get(name) ?? { name, running: 0, last: 0 }
      seats.set(name, seat)
      return seat
    },
    run(seat, work, input) {
      calls += 1
      seat.last = calls
      return following === undefined ? work(input) : following.run(seat.name, work, input)
    },
    accuse() {
      const known = following?.getStore()
      following ??= new AsyncLocalStorage()
      if (known !== undefined) return [known]
      return [...seats.values()]
        .filter(({ running, last }) => running > 0 || (last > 0 && last > calls - RECENT))
        .sort((a, b) => b.last - a.last)
        .slice(0, MOST_NAMED)
        .map(({ name }) => name)
    },
  }
}
