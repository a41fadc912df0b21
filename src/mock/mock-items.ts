import type { FunctionDefinition } from '../core/function.ts'
import type { JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { echo, findProblem, makeValue } from './made-value.ts'
import { createRandom } from './random.ts'
import { createValueMaker } from './value.ts'

/** The items of one function that streams. */
export interface MockItems {
  /** Takes a whole answer apart; undefined when it is no list of items. */
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
    ...(problem !== undefined && { problem: `its items: ${problem}` }),
    split: (whole) => (Array.isArray(whole) && whole.every(maker.accepts) ? whole : undefined),
    make(input, seed) {
      const length = createRandom([...seed, 'items'].join('\n')).whole(FEWEST, MOST)
      return Array.from({ length }, (_, index) =>
        echo(makeValue(maker, [...seed, `item ${index}`], name), input, maker),
      )
    },
  }
}
