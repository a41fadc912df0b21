import { isPromise, type Maybe, unref } from '../../../values/index.ts'
import { createEventStream, type EventStream, encodeEvent } from '../../../wire/index.ts'

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

/** Messages on their way to one client, however often its connection breaks. */
export interface ReplayStream {
  /** Gives a promise while the client reads slowly, or is away. */
  readonly push: (message: string) => Maybe<void>
  /** Nothing more will come; what was missed can still be asked for, for a while. */
  readonly finish: () => void
  /** Connects a client that has read everything up to this number; tells when nothing is left, or too much is lost. */
  readonly connect: (after: number) => EventStream | 'over' | 'lost'
  readonly connected: () => boolean
  readonly finished: () => boolean
  /** Ends the connection, not the stream: the client comes back for the rest. */
  readonly release: () => void
  /** Forgets the oldest event and gives the room that makes; a client that was too slow to get it is given up. */
  readonly forget: () => number
  /** Ends everything at once. */
  readonly end: () => void
}

/** How a stream ended. */
export interface StreamEnd {
  /** False when more would have come. */
  readonly finished: boolean
  /** What its events took. */
  readonly size: number
}

/** How a stream is kept. */
export interface ReplayStreamOptions {
  /** First part of the ids of its events. */
  readonly id: string
  readonly keepAliveMs: number
  /** Milliseconds for which a stream without a connection is kept; 0 when it cannot be taken up again. */
  readonly resumeMs: number
  /** Milliseconds a client should wait before it comes back; absent for clients that do not expect to hear that. */
  readonly retryMs: number | undefined
  /** Milliseconds after which a connection ends and the client comes back; never when absent. */
  readonly connectionMs: number | undefined
  /** Runs when an event was added, with its length. */
  readonly onGrow: (length: number) => void
  /** Runs once, when nobody can take the stream up any more. */
  readonly onGone: (end: StreamEnd) => void
}

/** Creates a stream whose events have numbers, so that a client can say which it has read. */
export function createReplayStream(options: ReplayStreamOptions): ReplayStream {
  const { resumeMs } = options
  const log = createEventLog()
  let writers: (() => void)[] = []
  const release = (): void => {
    const released = writers
    writers = []
    for (const go of released) go()
  }
  const sender = createSender(log, options, release)
  let finished = false
  let gone = false
  let timer: NodeJS.Timeout | undefined

  function vanish(): void {
    if (gone) return
    gone = true
    clearTimeout(timer)
    release()
    options.onGone({ finished, size: log.size() })
  }

  function keep(): void {
    clearTimeout(timer)
    if (resumeMs === 0) vanish()
    else timer = unref(setTimeout(vanish, resumeMs))
  }

  return {
    push(message) {
      if (gone || finished) return
      const length = log.add((number) =>
        writeEvent(options, number, encodeEvent('message', message)),
      )
      sender.send()
      options.onGrow(length)
      if (sender.sent() < log.last()) return new Promise((resolve) => writers.push(resolve))
    },
    finish() {
      if (finished) return
      finished = true
      sender.finish()
      keep()
    },
    connect(after) {
      if (gone || after < log.forgotten() || after > log.last()) return 'lost'
      if (finished && after === log.last()) return 'over'
      const connection = sender.connect(after, () => {
        if (!gone && !finished) keep()
      })
      if (!finished) clearTimeout(timer)
      return connection
    },
    connected: sender.connected,
    finished: () => finished,
    release: sender.release,
    forget() {
      if (log.forgotten() >= sender.sent()) sender.hangUp()
      return log.forget()
    },
    end() {
      vanish()
      sender.hangUp()
    },
  }
}

/** Brings the events of a log to whoever is connected. */
interface Sender {
  readonly connect: (after: number, onEnd: () => void) => EventStream
  readonly connected: () => boolean
  /** Number of the last event that was sent. */
  readonly sent: () => number
  readonly send: () => void
  readonly finish: () => void
  readonly release: () => void
  readonly hangUp: () => void
}

function createSender(log: EventLog, options: ReplayStreamOptions, onCaughtUp: () => void): Sender {
  const { keepAliveMs, connectionMs } = options
  let connection: EventStream | undefined
  let sent = 0
  let blocked = false
  let finished = false
  let greeted = false

  function send(): void {
    while (connection !== undefined && !blocked && sent < log.last()) {
      sent += 1
      const waiting = connection.write(log.get(sent))
      if (isPromise(waiting)) wait(connection, waiting)
    }
    if (sent >= log.last()) onCaughtUp()
    if (finished && !blocked) connection?.end()
  }

  /** What a slow client has not read stays in the log, where it can be forgotten. */
  function wait(slow: EventStream, waiting: Promise<void>): void {
    blocked = true
    void waiting.then(() => {
      if (slow !== connection) return
      blocked = false
      send()
    })
  }

  function release(): void {
    const farewell = finished ? undefined : encodeRetry(options, sent)
    if (farewell === undefined) return
    void connection?.write(farewell)
    connection?.end()
  }

  return {
    connect(after, onEnd) {
      connection?.end()
      const visit = connectionMs === undefined ? undefined : setTimeout(release, connectionMs)
      const opened = createEventStream(keepAliveMs, () => {
        clearTimeout(visit)
        if (opened === connection) connection = undefined
        onEnd()
      })
      connection = opened
      sent = after
      blocked = false
      const greeting = greeted ? undefined : encodeRetry(options, 0)
      greeted = true
      if (greeting !== undefined) void opened.write(greeting)
      send()
      return opened
    },
    connected: () => connection !== undefined,
    sent: () => sent,
    send,
    finish() {
      finished = true
      send()
    },
    release,
    hangUp: () => connection?.end(),
  }
}

function writeEvent({ id, resumeMs }: ReplayStreamOptions, number: number, text: string): string {
  return resumeMs > 0 ? `id: ${id}-${number}\n${text}` : text
}

/** Writes an event without a message: it only tells where to go on, and when. */
function encodeRetry(options: ReplayStreamOptions, number: number): string | undefined {
  const { resumeMs, retryMs } = options
  if (resumeMs === 0 || retryMs === undefined) return undefined
  return writeEvent(options, number, `retry: ${retryMs}\ndata: \n\n`)
}
