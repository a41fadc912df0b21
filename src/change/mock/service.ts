import { setTimeout as wait } from 'node:timers/promises'
import type { ErrorDefinition, FunctionDefinition, Invocation, Service } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { type JsonSchema, Unsatisfiable } from '../../schema/index.ts'
import { readForrstDocument } from '../../sources/forrst/index.ts'
import { createMemoryStore } from '../../store/index.ts'
import { createService } from '../../system/index.ts'
import { isRecord, type JsonObject } from '../../values/index.ts'
import { createMockAnswer, type MockPreference, type MockStream } from './answer.ts'
import { createRandom, type Random } from './random.ts'
import { createValueMaker } from './value.ts'

/** Calls that fail although nothing is wrong with them. */
export interface MockFailure {
  /** From 0 to 1. */
  readonly share: number
  /** One of the errors the function declares, or UNAVAILABLE, when absent. */
  readonly code?: string
}

/** How much gets in the way. */
export interface DisturbanceOptions {
  /** Milliseconds an answer, or one item of a stream, takes, from `least` to `most`; none when absent. */
  readonly latency?: { readonly least: number; readonly most: number }
  /** Which share of calls fails, and how. */
  readonly failures?: readonly MockFailure[]
}

/** Creates what gets in the way of answers; chance goes on from call to call: a call that is repeated may be luckier. */
function createDisturbance(
  { latency = { least: 0, most: 0 }, failures = [] }: DisturbanceOptions,
  random: Random,
) {
  return {
    /** Lets time pass. */
    pause: async (signal: AbortSignal): Promise<void> => {
      const delay = random.whole(latency.least, latency.most)
      if (delay > 0) await wait(delay, undefined, { signal })
    },
    /** Draws whether a call fails, and with what. */
    draw: (definition: FunctionDefinition): CallError | undefined => {
      const unlucky = failures.find(({ share }) => random.next() < share)
      return unlucky && toFailure(definition, unlucky, random)
    },
    /** Draws after how many of `count` items a stream that fails does so. */
    drawBreak: (count: number): number => random.whole(0, count),
  }
}

type Disturbance = ReturnType<typeof createDisturbance>

function toFailure(
  { errors = [] }: FunctionDefinition,
  { code }: MockFailure,
  random: Random,
): CallError {
  // Made from a document, whose schemas are plain JSON Schema.
  const declared = errors.flatMap((error) => ('code' in error ? [error as ErrorDefinition] : []))
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
    if (thrown instanceof Unsatisfiable) return undefined
    throw thrown
  }
}

/** How a mock behaves. */
export interface MockOptions extends DisturbanceOptions {
  /** Another seed makes other values; `1` when absent. */
  readonly seed?: string
  /** What is looked at first; `simulations` when absent, `schema` makes everything up. */
  readonly prefer?: MockPreference
}

/** A service that answers without doing anything. */
export interface MockService {
  readonly service: Service
  /** What the mock cannot do, for a person. */
  readonly warnings: readonly string[]
}

/** Creates a service that answers everything a discovery document describes. */
export function createMockService(document: unknown, options: MockOptions = {}): MockService {
  const { seed = '1', prefer = 'simulations' } = options
  const { info, functions, warnings } = readForrstDocument(document)
  const disturbance = createDisturbance(options, createRandom(`${seed}\ndisturbance`))
  const problems: string[] = []
  const mocked = functions.map((definition): FunctionDefinition => {
    const { answer, query, stream, problem } = createMockAnswer(definition, { seed, prefer })
    if (problem !== undefined) {
      problems.push(`${definition.name}@${definition.version}: no result can be made: ${problem}`)
    }
    const disturb = async ({ signal }: Invocation) => {
      await disturbance.pause(signal)
      const failure = disturbance.draw(definition)
      if (failure !== undefined) throw failure
    }
    return {
      ...definition,
      handler: async (invocation) => {
        const isRead = invocation.call.facts.outlet !== undefined
        if (stream && isRead)
          return play(() => stream(invocation), disturbance, definition, invocation)
        await disturb(invocation)
        return answer(invocation)
      },
      ...(query && {
        resources: async (invocation) => {
          await disturb(invocation)
          return query(invocation.plan)
        },
      }),
    }
  })
  const store = createMemoryStore()
  const onClose = () => store.close()
  const service = createService({ info, functions: mocked, store, onClose })
  return { service, warnings: [...warnings, ...problems] }
}

/** Every item takes its time, and a call that fails does so somewhere on the way. */
async function* play(
  open: () => MockStream,
  { pause, draw, drawBreak }: Disturbance,
  definition: FunctionDefinition,
  { signal, progress }: Invocation,
): AsyncGenerator<unknown, unknown> {
  const { items, result } = open()
  const failure = draw(definition)
  const end = failure === undefined ? items.length : drawBreak(items.length)
  for (const [index, item] of items.slice(0, end).entries()) {
    await pause(signal)
    yield item
    progress((index + 1) / items.length)
  }
  await pause(signal)
  if (failure !== undefined) throw failure
  return result
}
