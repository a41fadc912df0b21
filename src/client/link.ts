import type { Link, Server } from '../core/index.ts'
import { isRecord, type JsonObject } from '../values/index.ts'
import { clientError } from './errors.ts'

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

/** Resolves the URL of a server: every `{name}` becomes the given value or the variable's default. */
export function resolveServerUrl(
  server: Pick<Server, 'name' | 'url' | 'variables'>,
  values: Readonly<Record<string, string>> = {},
): string {
  const used = new Set<string>()
  const url = server.url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    used.add(name)
    return pickValue(server, name, values)
  })
  if (/[{}]/.test(url)) {
    throw refuse(server, `its URL ${server.url} has an unbalanced brace`, {})
  }
  const unknown = Object.keys(values).find((name) => !used.has(name))
  if (unknown === undefined) return url
  const known = used.size === 0 ? 'it has none' : `known: ${[...used].join(', ')}`
  throw refuse(server, `its URL has no variable "${unknown}"; ${known}`, { variable: unknown })
}

function pickValue(
  { variables = {}, ...server }: Pick<Server, 'name' | 'url' | 'variables'>,
  name: string,
  values: Readonly<Record<string, string>>,
): string {
  const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (variable === undefined) {
    throw refuse(server, `its URL uses {${name}}, but no variable "${name}" is described`, {
      variable: name,
    })
  }
  const chosen = Object.hasOwn(values, name) ? values[name] : undefined
  if (chosen === undefined) return variable.default
  if (variable.enum !== undefined && !variable.enum.includes(chosen)) {
    const allowed = variable.enum
    throw refuse(server, `${name} must be one of ${allowed.join(', ')}, not "${chosen}"`, {
      variable: name,
      allowed,
    })
  }
  return chosen
}

function refuse(server: Pick<Server, 'name'>, problem: string, details: JsonObject): Error {
  return clientError('CLIENT_INVALID_SERVER', {
    message: `Server "${server.name}": ${problem}`,
    details: { server: server.name, ...details },
  })
}
