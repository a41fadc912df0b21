import { toBase64 } from './base64.ts'
import { missingVariable, requireVariable } from './environment.ts'
import type { AuthRule, Environment } from './operation.ts'
import { escapeText, type Pair } from './serialize.ts'
import { ToolError } from './tool-error.ts'

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
