import type { CallOptions } from './contract.ts'
import { type Method, type Target, toMethod, toWireOptions } from './method.ts'

/** A related call: takes a result and calls the function that the link leads to. */
export type Link<Source, Result, Declared> = Method<
  [result: Source, options?: CallOptions],
  Result,
  Declared
>

/** Makes a link callable; a parameter whose path leads nowhere is left out. */
export function createLink<Type>(target: Target, params: Readonly<Record<string, unknown>>): Type {
  return toMethod(target, (result: unknown, options?: CallOptions) =>
    target.connection.call(
      target.function,
      evaluateParams(params, result),
      toWireOptions(target, options),
    ),
  )
}

function evaluateParams(
  params: Readonly<Record<string, unknown>>,
  result: unknown,
): Record<string, unknown> {
  const given: [string, unknown][] = []
  for (const [name, value] of Object.entries(params)) {
    const path = typeof value === 'string' ? /^\$result(?:\.(.+))?$/s.exec(value) : null
    const found = path === null ? value : readPath(result, path[1])
    if (found !== undefined) given.push([name, found])
  }
  return Object.fromEntries(given)
}

function readPath(value: unknown, path: string | undefined): unknown {
  let current = value
  for (const member of path?.split('.') ?? []) {
    // Own members only: `$result.constructor` must not reach into the language.
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined
    if (!Object.hasOwn(current, member)) return undefined
    current = (current as Record<string, unknown>)[member]
  }
  return current
}
