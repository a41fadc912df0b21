import type { ExamplePairing, Simulation } from '../core/description.ts'
import { CallError } from '../core/error.ts'
import type { FunctionDefinition, Invocation } from '../core/function.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { runQuery } from '../query/run-query.ts'
import { createRows } from './mock-rows.ts'
import { Unmakeable } from './unmakeable.ts'
import { createValueMaker, type ValueMaker } from './value.ts'

/** Where answers come from before they are made up. */
export type MockPreference = 'simulations' | 'examples' | 'schema'

/** Answers of one function. */
export interface MockAnswer {
  readonly answer: (invocation: Invocation) => unknown
  /** Why answers cannot be made up, when they cannot; absent when all is well. */
  readonly problem?: string
}

/** How answers are chosen. */
export interface MockAnswerOptions {
  readonly seed: string
  readonly prefer: MockPreference
}

/** Creates the answers of a function: scripted ones where they fit the arguments, made-up ones otherwise. */
export function createMockAnswer(
  definition: FunctionDefinition,
  { seed, prefer }: MockAnswerOptions,
): MockAnswer {
  const { name, version, output } = definition
  const maker = output && createValueMaker(output as JsonSchema)
  const examples = prefer === 'schema' ? [] : listExamples(definition)
  const simulations = prefer === 'schema' ? [] : (definition.simulations ?? [])
  const rows = definition.query && createRows(definition, seed)
  const problem = maker && examples.length === 0 ? findProblem(maker) : undefined

  const scripted = (input: JsonObject): { readonly value: unknown } | undefined => {
    const simulated = () => playSimulation(simulations, input)
    const shown = () => examples.find(({ arguments: given }) => isSame(given, input))
    return prefer === 'examples' ? (shown() ?? simulated()) : (simulated() ?? shown())
  }

  return {
    ...(problem !== undefined && { problem }),
    answer({ input: given, call }) {
      const input = given as JsonObject
      if (rows !== undefined && call.facts.query !== undefined) {
        return runQuery(call.facts.query, rows.resources, { related: rows.related })
      }
      const found = scripted(input)
      if (found !== undefined) return found.value
      const [example] = examples
      if (example !== undefined) return echo(example.value, input, maker)
      if (maker === undefined) return null
      return echo(makeValue(maker, [seed, name, version, canonical(input)], name), input, maker)
    },
  }
}

interface ShownExample {
  readonly arguments: JsonObject
  readonly value: unknown
}

function listExamples(definition: FunctionDefinition): readonly ShownExample[] {
  const names = (definition.arguments ?? []).map((one) => ('name' in one ? one.name : ''))
  return (definition.examples ?? []).flatMap((pairing) => {
    const { params = [], result } = pairing as ExamplePairing
    if (result === undefined || !('value' in result)) return []
    const given = params.map((param, index) => [
      names[index] ?? '',
      'value' in param ? param.value : undefined,
    ])
    return [{ arguments: Object.fromEntries(given) as JsonObject, value: result.value }]
  })
}

function playSimulation(
  simulations: readonly Simulation[],
  input: JsonObject,
): { readonly value: unknown } | undefined {
  const scenario = simulations.find((candidate) => isSame(candidate.input, input))
  if (scenario === undefined) return undefined
  const { error, output } = scenario
  if (error === undefined) return { value: output ?? null }
  throw new CallError(error.code, {
    message: error.message,
    ...(error.data && { details: error.data }),
  })
}

function makeValue(maker: ValueMaker, seed: readonly string[], name: string): unknown {
  try {
    return maker.make(seed.join('\n'))
  } catch (thrown) {
    if (!(thrown instanceof Unmakeable)) throw thrown
    throw new CallError('INTERNAL_ERROR', {
      message: `The mock cannot make a result of ${name}: ${thrown.message}; give the function an example`,
    })
  }
}

function findProblem(maker: ValueMaker): string | undefined {
  try {
    maker.make('start')
    return undefined
  } catch (thrown) {
    if (thrown instanceof Unmakeable) return thrown.message
    throw thrown
  }
}

/** What a caller named comes back under the same name: who asks for event 7 gets event 7. */
function echo(value: unknown, input: JsonObject, maker: ValueMaker | undefined): unknown {
  if (!isRecord(value)) return value
  const named = Object.entries(input).filter(
    ([key, given]) => Object.hasOwn(value, key) && isScalar(given) && isScalar(value[key]),
  )
  const wanted = { ...value, ...Object.fromEntries(named) }
  if (maker === undefined || maker.accepts(wanted)) return wanted
  // One argument the result refuses must not cost the others.
  return named.reduce<unknown>((sofar, [key, given]) => {
    const next = { ...(sofar as object), [key]: given }
    return maker.accepts(next) ? next : sofar
  }, value)
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isSame(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right)
}

/** JSON in which the order of members and members that are undefined do not count. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) =>
      isRecord(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ) ?? ''
  )
}
