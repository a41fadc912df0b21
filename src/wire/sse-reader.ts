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
