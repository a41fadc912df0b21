import {
  type Call,
  type Extension,
  type ExtensionCall,
  invalidOption,
  type Next,
  type Outcome,
  readChoice,
  readText,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { andThen, extensionUrn, type Maybe, toDuration } from '../../values/index.ts'

/** How urgent a call is, from the most urgent down. */
export const PRIORITY_LEVELS = ['critical', 'high', 'normal', 'low', 'bulk'] as const

/** How urgent a call is. */
export type PriorityLevel = (typeof PRIORITY_LEVELS)[number]

/** A place among those that run. */
export interface Slot {
  /** Where the call stood in the queue, from 1; 0 when it did not wait. */
  readonly position: number
  readonly release: () => void
}

/** Lets so many run at a time, the more urgent ones first. */
export interface PriorityQueue {
  /** Gives a slot at once where one is free; undefined when too many wait already. */
  enter(level: PriorityLevel, signal: () => AbortSignal): Slot | Promise<Slot> | undefined
}

interface Waiting {
  readonly order: number
  readonly start: () => void
}

/** Every so many times the longest-waiting call comes first, however urgent the others: nobody waits for ever. */
const FAIR_TURN = 10

/** Creates a queue in front of a number of slots. */
export function createPriorityQueue(slots: number, maxWaiting: number): PriorityQueue {
  const levels = new Map(PRIORITY_LEVELS.map((level) => [level, new Set<Waiting>()]))
  let running = 0
  let waiting = 0
  let arrivals = 0
  let turns = 0

  function release(): void {
    running--
    const following = pickNext()
    if (following) following.start()
  }

  function pickNext(): Waiting | undefined {
    const heads = [...levels.values()].flatMap(([head]) => head ?? [])
    turns++
    if (turns % FAIR_TURN !== 0) return heads[0]
    return heads.reduce<Waiting | undefined>(
      (oldest, head) => (oldest === undefined || head.order < oldest.order ? head : oldest),
      undefined,
    )
  }

  function take(position: number): Slot {
    running++
    let released = false
    return {
      position,
      release() {
        if (released) return
        released = true
        release()
      },
    }
  }

  function wait(level: PriorityLevel, signal: AbortSignal): Promise<Slot> {
    const queue = levels.get(level) ?? new Set()
    const ahead = PRIORITY_LEVELS.slice(0, PRIORITY_LEVELS.indexOf(level) + 1)
    const position = ahead.reduce((sum, name) => sum + (levels.get(name)?.size ?? 0), 1)
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(entry)
        waiting--
        signal.removeEventListener('abort', give)
      }
      const give = () => {
        leave()
        reject(signal.reason)
      }
      const entry: Waiting = {
        order: arrivals++,
        start() {
          leave()
          resolve(take(position))
        },
      }
      queue.add(entry)
      waiting++
      signal.addEventListener('abort', give, { once: true })
      if (signal.aborted) give()
    })
  }

  return {
    enter(level, signal) {
      if (running < slots && waiting === 0) return take(0)
      return waiting >= maxWaiting ? undefined : wait(level, signal())
    },
  }
}

/** How urgent calls come first. */
export interface PriorityExtensionOptions {
  /** How many calls run at a time in this process; without a number nobody waits and every wish is honoured. */
  readonly concurrency?: number
  /** How many may wait; further ones are refused with UNAVAILABLE. 1,000 when absent. */
  readonly maxWaiting?: number
  /** Decides the level a call gets; the one it asked for when absent. */
  readonly grant?: (call: Call, level: PriorityLevel) => PriorityLevel
}

/** Creates the extension that lets the more urgent of waiting calls run first. */
export function priorityExtension(options: PriorityExtensionOptions = {}): Extension {
  const { concurrency, maxWaiting = 1_000, grant = (_, level) => level } = options
  for (const [name, value] of Object.entries({ concurrency, maxWaiting })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new TypeError(`priority: ${name} must be a whole number above zero`)
    }
  }
  const queue = concurrency === undefined ? undefined : createPriorityQueue(concurrency, maxWaiting)

  return {
    urn: extensionUrn('priority'),
    version: '1.0.0',
    phase: 'run',
    order: -20,
    ofOneRun: true,
    // What looks after the service must not stand behind those who keep it busy.
    joins: (target) => queue !== undefined && !target.system,
    around(exchange, next) {
      const { call, declared, answer } = exchange
      const wished = declared ? readLevel(exchange) : 'normal'
      const level = grant(call, wished)
      const told = { honored: level === wished, effective_level: level }
      if (queue === undefined) {
        if (declared) answer(told)
        return next(call)
      }
      const start = exchange.service.clock.elapsed()
      return andThen(enter(queue, level, call), (slot) => {
        if (declared) {
          const waited = exchange.service.clock.elapsed() - start
          answer(slot.position === 0 ? told : { ...told, ...encodeWait(slot, waited) })
        }
        return run(slot, call, next)
      })
    },
  }
}

function enter(queue: PriorityQueue, level: PriorityLevel, call: Call): Maybe<Slot> {
  const slot = queue.enter(level, call.signal)
  if (slot !== undefined) return slot
  throw new CallError('UNAVAILABLE', {
    message: 'Too many calls are waiting',
    details: { retry_after: { value: 1, unit: 'second' } },
  })
}

function run(slot: Slot, call: Call, next: Next): Maybe<Outcome> {
  // The rest of the call never throws, so the slot always comes back.
  return andThen(next(call), (outcome) => {
    slot.release()
    return outcome
  })
}

function encodeWait({ position }: Slot, waitedMs: number) {
  return { queue_position: position, wait_time: toDuration(waitedMs) }
}

function readLevel(exchange: ExtensionCall): PriorityLevel {
  const level = readChoice(exchange, 'level', PRIORITY_LEVELS)
  readText(exchange, 'reason', { maxLength: 1_000 })
  if (level !== undefined) return level
  throw invalidOption(exchange, 'level', `one of ${PRIORITY_LEVELS.join(', ')}`)
}
