/** Lets no more than some work at the same time; the others follow in the order they came. */
export interface Room<Item> {
  readonly enter: (item: Item) => void
  /** Says that one is done with its work. */
  readonly leave: () => void
  /** Those who work or wait. */
  readonly count: () => number
  /** Sends away those who wait, and answers who they were. */
  readonly dismiss: () => readonly Item[]
}

/** Makes a room. */
export function createRoom<Item>(size: number, begin: (item: Item) => void): Room<Item> {
  let waiting: Item[] = []
  let working = 0
  return {
    enter(item) {
      if (working >= size) {
        waiting.push(item)
        return
      }
      working += 1
      begin(item)
    },
    leave() {
      const next = waiting.shift()
      if (next === undefined) working -= 1
      else begin(next)
    },
    count: () => working + waiting.length,
    dismiss() {
      const dismissed = waiting
      waiting = []
      return dismissed
    },
  }
}
