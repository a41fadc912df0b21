/** Events by number, the first of which is 1; the oldest may be forgotten. */
export interface EventLog {
  /** Number of the newest event. */
  readonly last: () => number
  /** Number of the newest event that is no longer there. */
  readonly forgotten: () => number
  /** Characters that all events take. */
  readonly size: () => number
  /** Adds an event and gives its length. */
  readonly add: (write: (number: number) => string) => number
  readonly get: (number: number) => string
  /** Forgets the oldest event and gives its length; 0 when there is none. */
  readonly forget: () => number
}

/** Creates an empty log. */
export function createEventLog(): EventLog {
  const events: string[] = []
  let forgotten = 0
  let size = 0
  const last = () => forgotten + events.length
  return {
    last,
    forgotten: () => forgotten,
    size: () => size,
    add(write) {
      const event = write(last() + 1)
      events.push(event)
      size += event.length
      return event.length
    },
    get: (number) => events[number - forgotten - 1] ?? '',
    forget() {
      const length = events.shift()?.length ?? 0
      if (length > 0) forgotten += 1
      size -= length
      return length
    },
  }
}
