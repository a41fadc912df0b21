import { describe, expect, it } from 'vitest'
import { fc } from '../../test/support/property.ts'
import {
  createEventParser,
  createEventStream,
  encodeEvent,
  readEvents,
  type ServerEvent,
} from './sse.ts'

const collect = async (chunks: Iterable<string | Uint8Array>, maxLength?: number) => {
  const events: ServerEvent[] = []
  for await (const event of readEvents(chunks, maxLength)) events.push(event)
  return events
}

/** Cuts bytes at the given places. */
const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length]
  return ends.sort((a, b) => a - b).map((end, at) => bytes.slice(at === 0 ? 0 : ends[at - 1], end))
}

describe('server-sent events', () => {
  it('are read as they were written, however the bytes are cut', async () => {
    const event = fc.record({
      event: fc.stringMatching(/^[a-z]{1,8}$/),
      data: fc
        .string({ unit: 'grapheme', minLength: 1 })
        .map((text) => text.replace(/\r\n?/g, '\n')),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.array(fc.nat()), async (events, places) => {
        const text = events.map(({ event, data }) => encodeEvent(event, data)).join(':\n\n')
        expect(await collect(cut(Buffer.from(text), places))).toEqual(events)
      }),
    )
  })

  it('may end their lines in LF, CR LF or CR', async () => {
    const written =
      'event: a\ndata: 1\ndata:2\nid: 7\nretry: 1\n: note\n\ndata\n\nevent: b\n\ndata: 3\n\n'
    const expected = [
      { event: 'a', data: '1\n2' },
      { event: 'message', data: '' },
      { event: 'message', data: '3' },
    ]
    for (const ending of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(`\uFEFF${written.replaceAll('\n', ending)}`)
      expect(await collect([bytes])).toEqual(expected)
      expect(await collect(cut(bytes, [...bytes.keys()]))).toEqual(expected)
    }
  })

  it('never break the reader, whatever comes', async () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r', '\r\n', 'data:', 'event:', ':', 'data: {"a":1}', '\uFEFF'),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece), fc.array(fc.nat()), async (pieces, places) => {
        const bytes = Buffer.from(pieces.join(''))
        const whole = await collect([bytes])
        // The pieces must not matter.
        expect(await collect(cut(bytes, places))).toEqual(whole)
      }),
    )
  })

  it('have a limit, for one line and for the lines of one event', () => {
    const feed = (...texts: string[]) => {
      const parser = createEventParser(100)
      return () => texts.flatMap((text) => parser.feed(text))
    }
    expect(feed('data: ', 'x'.repeat(60), 'x'.repeat(60))).toThrow(RangeError)
    expect(feed(`data: ${'x'.repeat(120)}\n\n`)).toThrow(RangeError)
    expect(feed(`data: ${'x'.repeat(60)}\n`, `data: ${'x'.repeat(60)}\n`)).toThrow(RangeError)
    expect(feed(`: ${'x'.repeat(120)}`)).toThrow(RangeError)
    expect(feed(...Array.from({ length: 5 }, () => `data: ${'x'.repeat(60)}\n\n`))()).toHaveLength(
      5,
    )
  })
})

describe('a stream of events', () => {
  it('makes the writer wait while nobody reads, and goes on when somebody does', async () => {
    const stream = createEventStream(60_000)
    expect(stream.write('x'.repeat(10_000))).toBeUndefined()
    let waiting = true
    const full = Promise.resolve(stream.write('y'.repeat(10_000))).then(() => {
      waiting = false
    })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(waiting).toBe(true)
    const reader = stream[Symbol.asyncIterator]()
    expect((await reader.next()).value).toHaveLength(20_000)
    await full
    stream.end()
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('shows only the newest of what replaces itself', async () => {
    const stream = createEventStream(60_000)
    for (const text of ['1', '2', '3']) stream.show(text)
    stream.push('a')
    for (const text of ['4', '5']) stream.show(text)
    const reader = stream[Symbol.asyncIterator]()
    expect((await reader.next()).value).toBe('3a5')
    stream.end()
  })

  it('hears at once of a reader who leaves, and lets writers go', async () => {
    let ends = 0
    const stream = createEventStream(60_000, () => {
      ends += 1
    })
    const reader = stream[Symbol.asyncIterator]()
    const pending = reader.next()
    await reader.return?.()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(stream.write('x'.repeat(20_000))).toBeUndefined()
    stream.end()
    expect(ends).toBe(1)
  })
})
