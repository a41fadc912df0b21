import type { Server } from '../core/description.ts'
import type { JsonObject } from '../core/json.ts'
import { clientError } from './errors.ts'

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
