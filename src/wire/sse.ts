import { type Maybe, unref } from '../values/index.ts'

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
  unref(timer)
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

/** One server-sent event. */
export interface ServerEvent {
  /** `message` when the sender gave no name. */
  readonly event: string
  readonly data: string
}

/** Puts events together from text that arrives in any pieces. */
export interface EventParser {
  /** Takes the next piece of text and gives the events that it completes; throws a RangeError above the limit. */
  readonly feed: (text: string) => readonly ServerEvent[]
}

const DEFAULT_MAX_LENGTH = 1_048_576

/** Creates a parser of server-sent events; ids, reconnection times and comments are read over. */
export function createEventParser(maxLength: number = DEFAULT_MAX_LENGTH): EventParser {
  let line = ''
  let started = false
  let afterReturn = false
  let name = ''
  let data: string[] = []
  let size = 0

  const assertLength = (length: number): void => {
    if (length <= maxLength) return
    throw new RangeError(`an event is longer than ${maxLength} characters`)
  }
  const takeLine = (text: string, events: ServerEvent[]): void => {
    if (text === '') {
      if (data.length > 0) events.push({ event: name || 'message', data: data.join('\n') })
      name = ''
      data = []
      size = 0
      return
    }
    const [field, value] = splitField(text)
    if (field === 'event') name = value
    if (field !== 'data') return
    size += value.length + 1
    assertLength(size)
    data.push(value)
  }

  return {
    feed(text) {
      const events: ServerEvent[] = []
      if (text === '') return events
      let start = afterReturn && text.startsWith('\n') ? 1 : 0
      if (!started && text.startsWith('\uFEFF')) start = 1
      started = true
      afterReturn = false
      for (let end = findBreak(text, start); end !== -1; end = findBreak(text, start)) {
        assertLength(line.length + end - start)
        takeLine(line + text.slice(start, end), events)
        line = ''
        start = end + 1
        if (text[end] === '\n') continue
        // A line may end in CR LF, and the two may come in different pieces.
        if (start === text.length) afterReturn = true
        else if (text[start] === '\n') start += 1
      }
      line += text.slice(start)
      assertLength(line.length)
      return events
    },
  }
}

/** Reads events from chunks of UTF-8 as they come; an event that the sender did not finish is left out. */
export async function* readEvents(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  maxLength?: number,
): AsyncGenerator<ServerEvent, void> {
  const parser = createEventParser(maxLength)
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    yield* parser.feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
  }
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  const value = line.slice(colon + 1)
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value]
}

/** One walk over the text: looking for each of the two characters would read long pieces again and again. */
function findBreak(text: string, start: number): number {
  BREAK.lastIndex = start
  return BREAK.exec(text)?.index ?? -1
}

const BREAK = /[\r\n]/g
