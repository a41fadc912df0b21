/** Server-sent events on their way to one client. */
export interface EventStream extends AsyncIterable<string> {
  /** Sends a JSON-RPC message; dropped when the client reads too slowly to catch up. */
  readonly push: (message: string) => void
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

/** Writes a message as an event. */
export function encodeEvent(message: string): string {
  return `event: message\ndata: ${message}\n\n`
}

/** Creates a stream that shows a sign of life when there is nothing else to send; `onEnd` runs once. */
export function createEventStream(keepAliveMs: number, onEnd?: () => void): EventStream {
  let waiting: string[] = []
  let wake: (() => void) | undefined
  let ended = false

  const add = (text: string): void => {
    if (ended || waiting.length >= MOST_WAITING) return
    waiting.push(text)
    wake?.()
  }
  const timer = setInterval(() => add(':\n\n'), keepAliveMs)
  timer.unref()
  const end = (): void => {
    if (ended) return
    ended = true
    clearInterval(timer)
    wake?.()
    onEnd?.()
  }

  return {
    push: (message) => add(encodeEvent(message)),
    end,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          if (waiting.length > 0) {
            const text = waiting.join('')
            waiting = []
            yield text
          } else if (ended) return
          else {
            await new Promise<void>((resolve) => {
              wake = resolve
            })
            wake = undefined
          }
        }
      } finally {
        end()
      }
    },
  }
}
