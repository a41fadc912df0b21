import type { ExamplePairing, Simulation } from '../core/description.ts'
import { CallError } from '../core/error.ts'
import type { FunctionDefinition, Invocation } from '../core/function.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { runQuery } from '../query/run-query.ts'
import { echo, findProblem, makeValue } from './made-value.ts'
import { createItems } from './mock-items.ts'
import { createRows } from './mock-rows.ts'
import { createValueMaker } from './value.ts'

/** Where answers come from before they are made up. */
export type MockPreference = 'simulations' | 'examples' | 'schema'

/** Answers of one function. */
export interface MockAnswer {
  readonly answer: (invocation: Invocation) => unknown
  /** Gives an answer piece by piece; absent when the function does not stream. */
  readonly stream?: (invocation: Invocation) => MockStream
  /** Why answers cannot be made up, when they cannot; absent when all is well. */
  readonly problem?: string
}

/** An answer in pieces. */
export interface MockStream {
  readonly items: readonly unknown[]
  /** What comes after the last item; undefined when the items are all there is. */
  readonly result: unknown
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
  const items = createItems(definition)
  const unmade = examples.length === 0 && maker ? findProblem(maker) : undefined
  const problem = unmade ?? items?.problem
  const seedOf = (input: JsonObject) => [seed, name, version, canonical(input)]

  const scripted = (input: JsonObject): { readonly value: unknown } | undefined => {
    const simulated = () => playSimulation(simulations, input)
    const shown = () => examples.find(({ arguments: given }) => isSame(given, input))
    return prefer === 'examples' ? (shown() ?? simulated()) : (simulated() ?? shown())
  }

  const answer: MockAnswer['answer'] = ({ input: given, call }) => {
    const input = given as JsonObject
    if (rows !== undefined && call.facts.query !== undefined) {
      return runQuery(call.facts.query, rows.resources, { related: rows.related })
    }
    const found = scripted(input)
    if (found !== undefined) return found.value
    const [example] = examples
    if (example !== undefined) return echo(example.value, input, maker)
    if (maker !== undefined) return echo(makeValue(maker, seedOf(input), name), input, maker)
    return items?.make(input, seedOf(input)) ?? null
  }

  return {
    ...(problem !== undefined && { problem }),
    answer,
    ...(items && {
      stream(invocation) {
        const input = invocation.input as JsonObject
        const whole = answer(invocation)
        const result = maker === undefined ? undefined : whole
        return { items: items.split(whole) ?? items.make(input, seedOf(input)), result }
      },
    }),
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
