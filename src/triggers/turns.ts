import { type Clock, sleep } from '../values/index.ts'

/** Timers do not count while a machine sleeps: whoever waits for a time of day looks at the clock this often. */
export const LONGEST_NAP_MS = 30_000

/** Waits until the clock shows a moment, or until the signal aborts. */
export async function pauseUntil(moment: number, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let left = moment - clock.now(); left > 0 && !signal.aborted; left = moment - clock.now()) {
    await sleep(Math.min(left, LONGEST_NAP_MS), signal)
  }
}

/** Creates what runs items at once, but no more than some in one turn of the event loop; the rest follows in order. */
export function createTurns<Item>(
  perTurn: number,
  run: (item: Item) => void,
): (item: Item) => void {
  const waiting: Item[] = []
  let room = perTurn

  function turn(): void {
    room = perTurn
    const items = waiting.splice(0, perTurn)
    if (items.length > 0) setImmediate(turn)
    room -= items.length
    for (const item of items) run(item)
  }

  return (item) => {
    if (room === perTurn) setImmediate(turn)
    if (room === 0) {
      waiting.push(item)
      return
    }
    room -= 1
    run(item)
  }
}
