type Env = Readonly<Record<string, string | undefined>>

/** Fills `${NAME}` and `${NAME:-fallback}` in a text; throws when a variable is not set. `$${` stands for `${`. */
export function expandEnv(text: string, env: Env, field: string): string {
  return text.replace(REFERENCE, (_whole, name?: string, fallback?: string) => {
    if (name === undefined) return '${'
    const value = env[name] || fallback
    if (value !== undefined) return value
    throw new Error(`${field}: set the environment variable ${name}`)
  })
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g
