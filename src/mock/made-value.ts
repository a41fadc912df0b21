import { CallError } from '../core/error.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import { Unmakeable } from './unmakeable.ts'
import type { ValueMaker } from './value.ts'

/** Makes a value; says which function needs an example when there is none to make. */
export function makeValue(maker: ValueMaker, seed: readonly string[], name: string): unknown {
  try {
    return maker.make(seed.join('\n'))
  } catch (thrown) {
    if (!(thrown instanceof Unmakeable)) throw thrown
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
    if (thrown instanceof Unmakeable) return thrown.message
    throw thrown
  }
}

/** What a caller named comes back under the same name: who asks for event 7 gets event 7. */
export function echo(value: unknown, input: JsonObject, maker: ValueMaker | undefined): unknown {
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
