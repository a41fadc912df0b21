import { sleep } from '../../values/index.ts'
import type { Settled, SourceContext, TriggerEvent } from '../trigger.ts'

const FIRST_MS = 200
const LONGEST_MS = 30_000

/** Gives the time before the next attempt to reach a server: doubled up to half a minute, spread by chance. */
export function toBackoff(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempt, 16), LONGEST_MS)
  return Math.round(full / 2 + (full / 2) * random())
}

/** Does something until the signal aborts; each failure is told and waited out, longer each time it follows another. */
export async function repeatUntilStopped(
  signal: AbortSignal,
  work: (worked: () => void) => Promise<void>,
  onFailure: (thrown: unknown, attempt: number) => void,
): Promise<void> {
  let attempt = 0
  const worked = () => {
    attempt = 0
  }
  while (!signal.aborted) {
    try {
      await work(worked)
      worked()
    } catch (thrown) {
      if (signal.aborted) return
      onFailure(thrown, attempt)
      await sleep(toBackoff(attempt), signal)
      attempt += 1
    }
  }
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

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

/** How a message ended for its broker: finished, given up, back to the broker now, or back after a while. */
export type Ending = 'done' | 'dead' | 'returned' | { readonly retryMs: number }

/** Runs messages and keeps those that wait for another attempt. */
export interface QueueRunner {
  /** Runs a message and tells once how it ended. A copy of a message at work ends together with it. */
  readonly run: (event: TriggerEvent, onEnd: (ending: Ending) => void) => void
  /** Messages whose function runs now, or as soon as there is room for it. */
  readonly running: () => number
  /** Messages that wait for another attempt without being handed back. */
  readonly held: () => number
  /** Lets what runs finish until the signal aborts; hands back what waits. */
  readonly stop: (signal: AbortSignal) => Promise<void>
  readonly trouble: () => string | undefined
}

/** How messages that need another attempt are treated. */
export interface QueueRunnerOptions {
  /** Keeps them here for that long in all; without it they go back to the broker, which knows delays. */
  readonly holdMs?: number
  /** Called when a message begins to wait, for brokers that count what they have handed out. */
  readonly onHold?: () => void
}

interface Flight {
  readonly event: TriggerEvent
  readonly onEnd: ((ending: Ending) => void)[]
  readonly begunAt: number
  timer?: ReturnType<typeof setTimeout>
}

/** Makes a runner over `settle`; no more run at the same time than the trigger says. */
export function createQueueRunner(
  { settle, clock, log, trigger }: SourceContext,
  { holdMs, onHold }: QueueRunnerOptions = {},
): QueueRunner {
  const flights = new Map<string, Flight>()
  const room = createRoom(trigger.concurrency ?? Number.POSITIVE_INFINITY, begin)
  let held = 0
  let failures = 0
  let isStopping = false
  let onIdle: (() => void) | undefined

  function run(event: TriggerEvent, onEnd: (ending: Ending) => void): void {
    const copy = flights.get(event.id)
    if (copy) {
      copy.onEnd.push(onEnd)
      return
    }
    const flight: Flight = { event, onEnd: [onEnd], begunAt: clock.elapsed() }
    flights.set(event.id, flight)
    room.enter(flight)
  }

  function begin(flight: Flight): void {
    settle(flight.event).then(
      (settled) => conclude(flight, settled),
      (error) => concludeUnstored(flight, error),
    )
  }

  function conclude(flight: Flight, settled: Settled): void {
    room.leave()
    failures = 0
    if (settled.status === 'retry') wait(flight, settled.delayMs)
    else end(flight, settled.status === 'dead' ? 'dead' : 'done')
  }

  /** The store is away: nothing is known about the message, so it stays with its broker. */
  function concludeUnstored(flight: Flight, error: unknown): void {
    room.leave()
    if (failures === 0) log.error(`queue ${trigger.name} cannot store deliveries`, { error })
    failures += 1
    wait(flight, toBackoff(Math.min(failures, 7)))
  }

  function wait(flight: Flight, delayMs: number): void {
    if (isStopping) end(flight, 'returned')
    else if (holdMs === undefined) end(flight, { retryMs: delayMs })
    else if (clock.elapsed() - flight.begunAt + delayMs > holdMs) end(flight, 'returned')
    else hold(flight, delayMs)
  }

  function hold(flight: Flight, delayMs: number): void {
    held += 1
    flight.timer = setTimeout(() => {
      held -= 1
      delete flight.timer
      room.enter(flight)
    }, delayMs)
    onHold?.()
  }

  function end(flight: Flight, ending: Ending): void {
    flights.delete(flight.event.id)
    for (const onEnd of flight.onEnd) onEnd(ending)
    if (room.count() === 0) onIdle?.()
  }

  function giveBackHeld(): void {
    for (const flight of [...flights.values()]) {
      if (flight.timer === undefined) continue
      clearTimeout(flight.timer)
      delete flight.timer
      held -= 1
      end(flight, 'returned')
    }
  }

  return {
    run,
    running: room.count,
    held: () => held,
    trouble: () => (failures > 0 ? 'cannot store deliveries, trying again' : undefined),
    async stop(signal) {
      isStopping = true
      giveBackHeld()
      for (const flight of room.dismiss()) end(flight, 'returned')
      if (room.count() === 0) return
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve
      })
      await Promise.race([idle, whenAborted(signal)])
    },
  }
}
