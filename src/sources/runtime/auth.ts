import { toBase64 } from '../../files/index.ts'
import type { AuthRule, Environment } from './operation.ts'
import { escapeText, type Pair } from './serialize.ts'
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

/** What a request carries to prove who sends it. */
export interface Credential {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly query: readonly Pair[]
  readonly cookies: readonly Pair[]
  /** Every value that must never be seen in a message. */
  readonly secrets: readonly string[]
  /** A token that can be replaced when the API refuses it. */
  readonly token?: string
}

/** What reading a credential may need. */
export interface AuthContext {
  readonly tool: string
  readonly env: Environment
  readonly fetch: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
  /** The token the API has just refused. */
  readonly rejected?: string | undefined
}

/** Reads the credential for one call. */
export type Authenticator = (
  rule: AuthRule,
  context: AuthContext,
) => Credential | Promise<Credential>

/** The credential of a call that proves nothing. */
export const NO_CREDENTIAL: Credential = { headers: [], query: [], cookies: [], secrets: [] }

/** Reads a bearer token. */
export function readBearer(rule: AuthRule, context: AuthContext): Credential {
  const value = readSecret(rule, context)
  return headerCredential('Authorization', `${rule.prefix ?? 'Bearer '}${value}`, [value])
}

/** Reads an API key for a header, the query or a cookie. */
export function readApiKey(rule: AuthRule, context: AuthContext): Credential {
  const value = readSecret(rule, context)
  const text = `${rule.prefix ?? ''}${value}`
  if (rule.in !== 'query' && rule.in !== 'cookie') {
    return headerCredential(rule.header ?? rule.name ?? 'Authorization', text, [value])
  }
  const pair: Pair = [escapeText(rule.name ?? rule.header ?? 'api_key'), escapeText(text)]
  const secrets = [value, text, pair[1]]
  return rule.in === 'query'
    ? { ...NO_CREDENTIAL, query: [pair], secrets }
    : { ...NO_CREDENTIAL, cookies: [pair], secrets }
}

/** Reads a user name and the password beside it. */
export function readBasic(rule: AuthRule, context: AuthContext): Credential {
  const { env, tool } = context
  const userVariable = rule.env ?? ''
  const passwordVariable = userVariable.replace(/_USERNAME$/, '_PASSWORD')
  const user = env[userVariable]
  const password = env[passwordVariable]
  if (!user || password === undefined) {
    throw missingVariable(tool, [userVariable, passwordVariable])
  }
  if (user.includes(':')) {
    throw new ToolError(tool, 'setup', `${tool}: the user name in ${userVariable} contains a colon`)
  }
  const encoded = toBase64(new TextEncoder().encode(`${user}:${password}`))
  return headerCredential('Authorization', `Basic ${encoded}`, [password, encoded])
}

/** Picks the first way to authenticate whose variables are set, else the one that needs none; undefined when there is none. */
export function pickWay(auth: AuthRule, env: Environment): AuthRule | undefined {
  const ways = [auth, ...(auth.or ?? [])]
  const isReady = (way: AuthRule): boolean =>
    way.type !== 'none' &&
    [way, ...(way.also ?? [])].every((rule) => variablesOf(rule, env).every((name) => env[name]))
  return ways.find(isReady) ?? ways.find((way) => way.type === 'none')
}

/** Names the variables of all ways, as in `A, or B and C`. */
export function nameWays(auth: AuthRule, env: Environment): string {
  const ways = [auth, ...(auth.or ?? [])].map((way) => {
    const names = [way, ...(way.also ?? [])].flatMap((rule) => variablesOf(rule, env))
    return [...new Set(names)].join(' and ')
  })
  return ways.join(', or ')
}

/** Lists the credentials that one request reads. */
export function readRules(auth: AuthRule | undefined, env: Environment, tool: string): AuthRule[] {
  if (auth === undefined) return []
  // Alone it is read whatever is set, so that the message says what exactly is missing.
  const way = auth.or ? pickWay(auth, env) : auth
  if (way !== undefined) return [way, ...(way.also ?? [])]
  const names = nameWays(auth, env)
  throw new ToolError(tool, 'setup', `E120 ${tool}: set the environment variable ${names}`, {
    problems: [`none of these environment variables is set: ${names}`],
  })
}

function variablesOf(rule: AuthRule, env: Environment): string[] {
  const name = rule.env ?? ''
  if (rule.type === 'none') return []
  if (rule.type === 'basic') return [name, name.replace(/_USERNAME$/, '_PASSWORD')]
  if (rule.type !== 'oauth2') return [name]
  const base = name.replace(/_CLIENT_ID$/, '')
  if (env[`${base}_ACCESS_TOKEN`]) return [`${base}_ACCESS_TOKEN`]
  return [name, env[`${base}_REFRESH_TOKEN`] ? `${base}_REFRESH_TOKEN` : `${base}_CLIENT_SECRET`]
}

/** Joins the credentials of a combined requirement. */
export function joinCredentials(credentials: readonly Credential[]): Credential {
  const token = credentials.find((credential) => credential.token !== undefined)?.token
  return {
    headers: credentials.flatMap((credential) => credential.headers),
    query: credentials.flatMap((credential) => credential.query),
    cookies: credentials.flatMap((credential) => credential.cookies),
    secrets: credentials.flatMap((credential) => credential.secrets),
    ...(token !== undefined && { token }),
  }
}

/** Makes a credential that is one header. */
export function headerCredential(
  name: string,
  value: string,
  secrets: readonly string[],
): Credential {
  return { ...NO_CREDENTIAL, headers: [[name, value]], secrets: [...secrets, value] }
}

// `fetch` quotes a header value it refuses, so a value it would refuse must not reach it.
function readSecret(rule: AuthRule, context: AuthContext): string {
  const name = rule.env ?? ''
  const value = requireVariable(context.env, name, context.tool).trim()
  if (value !== '' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value
  throw new ToolError(
    context.tool,
    'setup',
    `${context.tool}: the value of ${name} holds characters that a header cannot carry`,
  )
}
