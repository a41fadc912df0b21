import type { FunctionDefinition, Invocation } from '../core/function.ts'
import type { Service } from '../core/service.ts'
import { readForrstDocument } from '../remote/forrst-document.ts'
import { createMemoryStore } from '../store/memory.ts'
import { createService } from '../system/create-service.ts'
import { createDisturbance, type Disturbance, type DisturbanceOptions } from './disturbance.ts'
import { createMockAnswer, type MockPreference, type MockStream } from './mock-answer.ts'
import { createRandom } from './random.ts'

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
  const { info, functions, warnings } = readForrstDocument(document, () => ({
    handler: () => null,
  }))
  const disturbance = createDisturbance(options, createRandom(`${seed}\ndisturbance`))
  const problems: string[] = []
  const mocked = functions.map((definition): FunctionDefinition => {
    const { answer, stream, problem } = createMockAnswer(definition, { seed, prefer })
    if (problem !== undefined) {
      problems.push(`${definition.name}@${definition.version}: no result can be made: ${problem}`)
    }
    return {
      ...definition,
      handler: async (invocation) => {
        const isRead = invocation.call.facts.outlet !== undefined
        if (stream && isRead)
          return play(() => stream(invocation), disturbance, definition, invocation)
        await disturbance.pause(invocation.signal)
        const failure = disturbance.draw(definition)
        if (failure !== undefined) throw failure
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
