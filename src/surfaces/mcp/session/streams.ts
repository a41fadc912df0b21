import { randomUUID } from 'node:crypto'
import { createReplayStream, type ReplayStream, type StreamEnd } from './replay-stream.ts'

/** What a stream carries: an answer with what belongs to it, or what belongs to no request. */
export type StreamKind = 'answer' | 'listen'

/** How streams of sessions are kept. */
export interface SessionStreamOptions {
  /** Milliseconds a broken stream is kept, and its call goes on; one minute when absent, 0 keeps none. */
  readonly resumeMs?: number
  /** Characters of messages a session may keep for clients who missed them; 1048576 when absent. */
  readonly replaySize?: number
  /** Milliseconds after which clients of 2025-11-25 come back when a stream was interrupted; 1000 when absent. */
  readonly retryMs?: number
  /** Milliseconds after which such a client is sent away to come back, so that no connection lasts; never when absent. */
  readonly connectionMs?: number
}

/** The streams of one session. */
export interface SessionStreams {
  /** Opens a stream; `onGone` runs when nobody can take it up any more. */
  readonly open: (
    kind: StreamKind,
    keepAliveMs: number,
    onGone: (end: StreamEnd) => void,
  ) => ReplayStream
  /** Finds the stream an event belongs to. */
  readonly find: (eventId: string) => FoundStream
  /** Those for what belongs to no request, the one that gets it last. */
  readonly listening: () => readonly ReplayStream[]
  /** Tells whether somebody is connected. */
  readonly busy: () => boolean
  readonly end: () => void
}

/** A stream, and the number of the last event its client has read. */
export type FoundStream =
  | { readonly found: true; readonly stream: ReplayStream; readonly after: number }
  | { readonly found: false; readonly kind: StreamKind | undefined }

interface Entry {
  readonly kind: StreamKind
  readonly stream: ReplayStream
}

/** A client that leaves again and again must not have any number of calls running. */
const MOST_WAITING = 100

/** About what a stream takes without its messages. */
const STREAM_BYTES = 2_048

const EVENT_ID = /^((answer|listen)-[0-9a-f]{8})-(\d{1,9})$/

/** Creates the streams of one session; `polls` when its client knows that it has to come back, `onSize` counts bytes. */
export function createSessionStreams(
  options: SessionStreamOptions,
  polls: boolean,
  onSize: (bytes: number) => void = () => undefined,
): SessionStreams {
  const { resumeMs = 60_000, replaySize = 1_048_576, retryMs = 1_000 } = options
  const entries = new Map<string, Entry>()
  let size = 0

  function makeRoom(): void {
    for (const { stream } of entries.values()) {
      for (let room = 1; size > replaySize && room > 0; ) {
        room = stream.forget()
        size -= room
        onSize(-2 * room)
      }
    }
  }

  function endOldest(): void {
    const waiting = [...entries.values()].filter(({ stream }) => !stream.connected())
    if (waiting.length < MOST_WAITING) return
    const oldest = waiting.find(({ stream }) => stream.finished()) ?? waiting[0]
    oldest?.stream.end()
  }

  return {
    open(kind, keepAliveMs, onGone) {
      if (entries.size >= MOST_WAITING) endOldest()
      const id = `${kind}-${randomUUID().slice(0, 8)}`
      const stream = createReplayStream({
        id,
        keepAliveMs,
        resumeMs,
        retryMs: polls ? retryMs : undefined,
        connectionMs: polls ? options.connectionMs : undefined,
        onGrow(length) {
          size += length
          if (size > replaySize) makeRoom()
          onSize(2 * length)
        },
        onGone(end) {
          size -= end.size
          entries.delete(id)
          onSize(-2 * end.size - STREAM_BYTES)
          onGone(end)
        },
      })
      entries.set(id, { kind, stream })
      onSize(STREAM_BYTES)
      return stream
    },
    find(eventId) {
      const [, id = '', kind, number] = EVENT_ID.exec(eventId) ?? []
      const entry = entries.get(id)
      return entry === undefined
        ? { found: false, kind: kind as StreamKind | undefined }
        : { found: true, stream: entry.stream, after: Number(number) }
    },
    listening() {
      const streams = [...entries.values()].flatMap(({ kind, stream }) =>
        kind === 'listen' ? [stream] : [],
      )
      return streams.toSorted((left, right) => Number(left.connected()) - Number(right.connected()))
    },
    busy: () => [...entries.values()].some(({ stream }) => stream.connected()),
    end() {
      for (const { stream } of [...entries.values()]) stream.end()
    },
  }
}
