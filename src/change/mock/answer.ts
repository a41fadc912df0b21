import type {
  ExamplePairing,
  FunctionDefinition,
  Invocation,
  QueryPlan,
  ResourceDocument,
  Simulation,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { runQuery } from '../../extensions/query/index.ts'
import { type JsonSchema, Unsatisfiable } from '../../schema/index.ts'
import { defined, isRecord, type JsonObject, toCanonicalJson } from '../../values/index.ts'
import { createRandom } from './random.ts'
import { createRows } from './rows.ts'
import { createValueMaker, type ValueMaker } from './value.ts'

/** Makes a value; says which function needs an example when there is none to make. */
export function makeValue(maker: ValueMaker, seed: readonly string[], name: string): unknown {
  try {
    return maker.make(seed.join('\n'))
  } catch (thrown) {
    if (!(thrown instanceof Unsatisfiable)) throw thrown
    throw new CallError('INTERNAL_ERROR', {
      message: `The mock cannot make a result of ${name}: ${thrown.message}; give the function an example`,
    })
  }
}

/** Finds out why no value can be made; undefined when one can. */
export function findProblem(maker: ValueMaker): string | undefined {
  try {
    maker.make('start')
    return undefined
  } catch (thrown) {
    if (thrown instanceof Unsatisfiable) return thrown.message
    throw thrown
  }
}

/** What a caller named comes back under the same name: who asks for event 7 gets event 7. */
export function echoArguments(
  value: unknown,
  input: JsonObject,
  maker: ValueMaker | undefined,
): unknown {
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

/** The items of one function that streams. */
export interface MockItems {
  /** Takes a whole answer apart; undefined when it is not a list of items. */
  readonly split: (whole: unknown) => readonly unknown[] | undefined
  /** Makes items up; the same seed gives the same ones. */
  readonly make: (input: JsonObject, seed: readonly string[]) => readonly unknown[]
  /** Why items cannot be made up, when they cannot. */
  readonly problem?: string
}

const FEWEST = 3
const MOST = 8

/** Creates the items of a function; undefined when it does not stream. */
export function createItems({ name, item }: FunctionDefinition): MockItems | undefined {
  if (item === undefined) return undefined
  const maker = createValueMaker(item as JsonSchema)
  const problem = findProblem(maker)
  return {
    ...defined({ problem: problem && `its items: ${problem}` }),
    split: (whole) => (Array.isArray(whole) && whole.every(maker.accepts) ? whole : undefined),
    make(input, seed) {
      const length = createRandom([...seed, 'items'].join('\n')).whole(FEWEST, MOST)
      return Array.from({ length }, (_, index) =>
        echoArguments(makeValue(maker, [...seed, `item ${index}`], name), input, maker),
      )
    },
  }
}

/** Where answers come from before they are made up. */
export type MockPreference = 'simulations' | 'examples' | 'schema'

/** Answers of one function. */
export interface MockAnswer {
  readonly answer: (invocation: Invocation) => unknown
  /** Answers a query; absent when the function takes none. */
  readonly query?: (plan: QueryPlan) => ResourceDocument
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
  const seedOf = (input: JsonObject) => [seed, name, version, toCanonicalJson(input)]

  const scripted = (input: JsonObject): { readonly value: unknown } | undefined => {
    const simulated = () => playSimulation(simulations, input)
    const shown = () =>
      examples.find(({ arguments: given }) => toCanonicalJson(given) === toCanonicalJson(input))
    return prefer === 'examples' ? (shown() ?? simulated()) : (simulated() ?? shown())
  }

  const answer: MockAnswer['answer'] = ({ input: given }) => {
    const input = given as JsonObject
    const found = scripted(input)
    if (found !== undefined) return found.value
    const [example] = examples
    if (example !== undefined) return echoArguments(example.value, input, maker)
    if (maker !== undefined)
      return echoArguments(makeValue(maker, seedOf(input), name), input, maker)
    return items?.make(input, seedOf(input)) ?? null
  }

  return {
    ...defined({ problem }),
    answer,
    ...(rows && { query: (plan) => runQuery(plan, rows.resources, { related: rows.related }) }),
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
  const scenario = simulations.find((one) => toCanonicalJson(one.input) === toCanonicalJson(input))
  if (scenario === undefined) return undefined
  const { error, output } = scenario
  if (error === undefined) return { value: output ?? null }
  throw new CallError(error.code, {
    message: error.message,
    ...(error.data && { details: error.data }),
  })
}
