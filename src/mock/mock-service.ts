import { setTimeout as wait } from 'node:timers/promises'
import { CallError } from '../core/error.ts'
import type { FunctionDefinition } from '../core/function.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import type { Service } from '../core/service.ts'
import { readForrstDocument } from '../remote/forrst-document.ts'
import { withoutStream } from '../remote/forrst-function.ts'
import { createMemoryStore } from '../store/memory.ts'
import { createService } from '../system/create-service.ts'
import { createMockAnswer, type MockPreference } from './mock-answer.ts'
import { createRandom, type Random } from './random.ts'
import { Unmakeable } from './unmakeable.ts'
import { createValueMaker } from './value.ts'

/** How a mock behaves. */
export interface MockOptions {
  /** Another seed makes other values; `1` when absent. */
  readonly seed?: string
  /** Milliseconds an answer takes, from `least` to `most`; none when absent. */
  readonly latency?: { readonly least: number; readonly most: number }
  /** Which share of calls fails, and how. */
  readonly failures?: readonly MockFailure[]
  /** What is looked at first; `simulations` when absent, `schema` makes everything up. */
  readonly prefer?: MockPreference
}

/** Calls that fail although nothing is wrong with them. */
export interface MockFailure {
  /** From 0 to 1. */
  readonly share: number
  /** One of the errors the function declares, or UNAVAILABLE, when absent. */
  readonly code?: string
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
  const { info, functions, warnings } = readForrstDocument(document, (object) => ({
    ...withoutStream(object),
    handler: () => null,
  }))
  const disturb = createDisturbance(options, createRandom(`${seed}\ndisturbance`))
  const problems: string[] = []
  const mocked = functions.map((definition): FunctionDefinition => {
    const { answer, problem } = createMockAnswer(definition, { seed, prefer })
    if (problem !== undefined) {
      problems.push(`${definition.name}@${definition.version}: no result can be made: ${problem}`)
    }
    return {
      ...definition,
      handler: async (invocation) => {
        await disturb(definition, invocation.signal)
        return answer(invocation)
      },
    }
  })
  const store = createMemoryStore()
  const service = createService({
    info,
    functions: mocked,
    store,
    onClose: () => store.close(),
  })
  return { service, warnings: [...warnings, ...problems] }
}

type Disturb = (definition: FunctionDefinition, signal: AbortSignal) => Promise<void>

/** Chance goes on from call to call, so that whoever tries again may be luckier. */
function createDisturbance(
  { latency = { least: 0, most: 0 }, failures = [] }: MockOptions,
  random: Random,
): Disturb {
  return async (definition, signal) => {
    const delay = random.whole(latency.least, latency.most)
    if (delay > 0) await wait(delay, undefined, { signal })
    const unlucky = failures.find(({ share }) => random.next() < share)
    if (unlucky !== undefined) throw toFailure(definition, unlucky, random)
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
