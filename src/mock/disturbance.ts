import { setTimeout as wait } from 'node:timers/promises'
import { CallError } from '../core/error.ts'
import type { FunctionDefinition } from '../core/function.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import type { Random } from './random.ts'
import { Unmakeable } from './unmakeable.ts'
import { createValueMaker } from './value.ts'

/** Calls that fail although nothing is wrong with them. */
export interface MockFailure {
  /** From 0 to 1. */
  readonly share: number
  /** One of the errors the function declares, or UNAVAILABLE, when absent. */
  readonly code?: string
}

/** What gets in the way of answers. */
export interface Disturbance {
  /** Lets time pass. */
  readonly pause: (signal: AbortSignal) => Promise<void>
  /** Draws whether a call fails, and with what. */
  readonly draw: (definition: FunctionDefinition) => CallError | undefined
  /** Draws after how many of `count` items a stream that fails does so. */
  readonly drawBreak: (count: number) => number
}

/** How much gets in the way. */
export interface DisturbanceOptions {
  /** Milliseconds an answer, or one item of a stream, takes, from `least` to `most`; none when absent. */
  readonly latency?: { readonly least: number; readonly most: number }
  /** Which share of calls fails, and how. */
  readonly failures?: readonly MockFailure[]
}

/** Creates disturbances; chance goes on from call to call, so that whoever tries again may be luckier. */
export function createDisturbance(
  { latency = { least: 0, most: 0 }, failures = [] }: DisturbanceOptions,
  random: Random,
): Disturbance {
  return {
    async pause(signal) {
      const delay = random.whole(latency.least, latency.most)
      if (delay > 0) await wait(delay, undefined, { signal })
    },
    draw(definition) {
      const unlucky = failures.find(({ share }) => random.next() < share)
      return unlucky && toFailure(definition, unlucky, random)
    },
    drawBreak: (count) => random.whole(0, count),
  }
}

function toFailure(
  { errors = [] }: FunctionDefinition,
  { code }: MockFailure,
  random: Random,
): CallError {
  const declared = errors.flatMap((error) => ('code' in error ? [error] : []))
  const [first, ...rest] = declared
  const chosen =
    code === undefined
      ? first && random.pick([first, ...rest])
      : declared.find((error) => error.code === code)
  const details = chosen?.data && makeDetails(chosen.data, random)
  return new CallError(code ?? chosen?.code ?? 'UNAVAILABLE', {
    ...(chosen && { message: chosen.message }),
    ...(details && { details }),
  })
}

function makeDetails(schema: JsonSchema, random: Random): JsonObject | undefined {
  try {
    const made = createValueMaker(schema).make(String(random.next()))
    return isRecord(made) ? (made as JsonObject) : undefined
  } catch (thrown) {
    if (thrown instanceof Unmakeable) return undefined
    throw thrown
  }
}
