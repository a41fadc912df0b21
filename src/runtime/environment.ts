import type { Environment } from './operation.ts'
import { ToolError } from './tool-error.ts'

/** Reads a variable that must be there; an empty one counts as missing. */
export function requireVariable(env: Environment, name: string, tool: string): string {
  const value = env[name]
  if (value !== undefined && value !== '') return value
  throw missingVariable(tool, [name])
}

/** Makes the error for variables that are not set. */
export function missingVariable(tool: string, names: readonly string[]): ToolError {
  const list = names.join(' and ')
  return new ToolError(tool, 'setup', `E120 ${tool}: set the environment variable ${list}`, {
    problems: names.map((name) => `environment variable ${name} is not set`),
  })
}

/** Replaces `${NAME}` and `${NAME:-fallback}`; `$${` stands for itself. */
export function expandVariables(text: string, env: Environment, tool: string): string {
  return text.replace(
    /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_match, escaped: string | undefined, name: string, fallback: string | undefined) => {
      if (escaped !== undefined) return escaped
      const value = env[name]
      if (value !== undefined && value !== '') return value
      if (fallback !== undefined) return fallback
      throw missingVariable(tool, [name])
    },
  )
}

/** Gives the environment of this process, or an empty one where there is none. */
export function processEnvironment(): Environment {
  const host: { readonly process?: { readonly env?: Environment } } = globalThis
  return host.process?.env ?? {}
}
