import type { Link } from '../core/description.ts'
import { isRecord } from '../core/json.ts'

/** The call a link stands for. */
export interface LinkedCall {
  /** Undefined when the link names no function. */
  readonly function: string | undefined
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Evaluates a link against the result it came with; a parameter whose path leads nowhere is left out. */
export function evaluateLink(link: Link, result: unknown): LinkedCall {
  const given: [string, unknown][] = []
  for (const [name, value] of Object.entries(link.params ?? {})) {
    const evaluated = evaluateParam(value, result)
    if (evaluated.found) given.push([name, evaluated.value])
  }
  return { function: link.function, arguments: Object.fromEntries(given) }
}

type Evaluated = { readonly found: true; readonly value: unknown } | { readonly found: false }

const ROOT = '$result'

function evaluateParam(value: unknown, result: unknown): Evaluated {
  if (value === ROOT) return { found: true, value: result }
  if (typeof value !== 'string' || !value.startsWith(`${ROOT}.`)) return { found: true, value }
  let current = result
  for (const member of value.slice(ROOT.length + 1).split('.')) {
    // Own members only: `$result.constructor` must not reach into the language.
    if (!isRecord(current) || !Object.hasOwn(current, member)) return { found: false }
    current = current[member]
  }
  return { found: true, value: current }
}
