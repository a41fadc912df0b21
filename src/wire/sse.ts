import type { Maybe } from '../core/maybe.ts'

/** Server-sent events on their way to one client. */
export interface EventStream extends AsyncIterable<string> {
  /** Sends an event; dropped when the client reads too slowly to catch up. */
  readonly push: (event: string) => void
  /** Sends an event, and waits when the client has not read what was sent before. */
  readonly write: (event: string) => Maybe<void>
  /** Sends an event that replaces the one before, when that was sent the same way and is not read yet. */
  readonly show: (event: string) => void
  readonly end: () => void
}

/** Headers of every answer that is a stream. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies would otherwise hold events back until there are enough of them.
  'x-accel-buffering': 'no',
}

const MOST_WAITING = 1_000
const HIGH_WATER = 16_384
/** An event that says nothing: it only shows that the connection lives. */
export const COMMENT = ':\n\n'

/** Writes an event; data of several lines is sent as several. */
export function encodeEvent(name: string, data: string): string {
  const lines = LINE_BREAK.test(data) ? data.split(LINE_BREAK).join('\ndata: ') : data
  return `event: ${name}\ndata: ${lines}\n\n`
}

const LINE_BREAK = /\r\n|\r|\n/

/** Creates a stream that shows a sign of life when there is nothing else to send; `onEnd` runs once. */
export function createEventStream(
  keepAliveMs: number,
  onEnd?: () => void,
  keepAlive: string = COMMENT,
): EventStream {
  let waiting: string[] = []
  let size = 0
  let replaceable = false
  let ended = false
  let reader: ((result: IteratorResult<string, undefined>) => void) | undefined
  let writers: (() => void)[] = []

  const take = (): string => {
    const text = waiting.length === 1 ? (waiting[0] as string) : waiting.join('')
    waiting = []
    size = 0
    const released = writers
    writers = []
    for (const release of released) release()
    return text
  }
  const add = (text: string): void => {
    replaceable = false
    waiting.push(text)
    size += text.length
    if (reader === undefined) return
    const answer = reader
    reader = undefined
    answer({ done: false, value: take() })
  }
  const timer = setInterval(() => {
    if (waiting.length === 0) add(keepAlive)
  }, keepAliveMs)
  timer.unref()
  const end = (): void => {
    if (ended) return
    ended = true
    clearInterval(timer)
    reader?.(DONE)
    reader = undefined
    for (const release of writers) release()
    onEnd?.()
  }

  return {
    push(event) {
      if (!ended && waiting.length < MOST_WAITING) add(event)
    },
    write(event) {
      if (ended) return
      add(event)
      if (size >= HIGH_WATER) return new Promise((resolve) => writers.push(resolve))
    },
    show(event) {
      if (ended) return
      if (replaceable && waiting.length > 0) size -= waiting.pop()?.length ?? 0
      add(event)
      replaceable = true
    },
    end,
    // By hand: a generator would not hear of `return` while it waits for the next event.
    [Symbol.asyncIterator]: () => ({
      next() {
        if (waiting.length > 0) return Promise.resolve({ done: false, value: take() })
        if (ended) return Promise.resolve(DONE)
        return new Promise((resolve) => {
          reader = resolve
        })
      },
      return() {
        waiting = []
        end()
        return Promise.resolve(DONE)
      },
    }),
  }
}

const DONE = { done: true, value: undefined } as const
