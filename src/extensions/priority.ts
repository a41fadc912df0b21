import type { Call, Outcome } from '../core/call.ts'
import { toDuration } from '../core/duration.ts'
import { CallError } from '../core/error.ts'
import type { Extension, ExtensionCall, Next } from '../core/extension.ts'
import { andThen, type Maybe } from '../core/maybe.ts'
import { readChoice } from './option-values.ts'
import { invalidOption, readText } from './options.ts'
import {
  createPriorityQueue,
  PRIORITY_LEVELS,
  type PriorityLevel,
  type PriorityQueue,
  type Slot,
} from './priority-queue.ts'

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
    urn: 'urn:forrst:ext:priority',
    version: '1.0.0',
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
