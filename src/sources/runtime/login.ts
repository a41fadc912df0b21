import { createHash, randomBytes } from 'node:crypto'
import { type AuthContext, missingVariable, requireVariable } from './auth.ts'
import { askForToken, findEndpoint, type LoginRule, tokenUrl, variableBase } from './oauth2.ts'
import { ToolError } from './tool-error.ts'

/** A login that a person has yet to confirm in a browser (RFC 6749, 4.1, with PKCE of RFC 7636). */
export interface Login {
  /** Where the person goes. */
  readonly url: string
  /** Comes back with the code; an answer without it is not ours. */
  readonly state: string
  readonly redirectUri: string
  readonly verifier: string
}

/** What a login gives, as variables to set. */
export interface LoginResult {
  /** The refresh token; the access token when there is none. */
  readonly variable: string
  readonly value: string
  readonly isRefreshToken: boolean
}

/** Prepares a login that comes back to an address of this machine. */
export async function startLogin(
  rule: LoginRule,
  redirectUri: string,
  context: AuthContext,
): Promise<Login> {
  const { env, tool } = context
  const base = variableBase(rule)
  const address = await findEndpoint('authorization', rule, context)
  if (address === undefined) throw missingVariable(tool, [`${base}_AUTHORIZATION_URL`])
  const url = new URL(address)
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const scope = rule.scopes?.join(' ') ?? env[`${base}_SCOPES`]
  const audience = env[`${base}_AUDIENCE`]
  const fields = {
    response_type: 'code',
    client_id: requireVariable(env, rule.env ?? '', tool),
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope && { scope }),
    ...(audience && { audience }),
  }
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  // Asked for now: a login that cannot be finished should not be started.
  await tokenUrl(rule, context)
  return { url: url.href, state, redirectUri, verifier }
}

/** Trades the code of a confirmed login for a token. */
export async function finishLogin(
  rule: LoginRule,
  login: Login & { readonly code: string },
  context: AuthContext,
): Promise<LoginResult> {
  const { env, tool } = context
  const base = variableBase(rule)
  const secret = env[`${base}_CLIENT_SECRET`] || undefined
  const fields = {
    grant_type: 'authorization_code',
    code: login.code,
    redirect_uri: login.redirectUri,
    code_verifier: login.verifier,
  }
  const secrets = [login.code, login.verifier, ...(secret === undefined ? [] : [secret])]
  const { answer, url } = await askForToken(rule, fields, secrets, context)
  const { refresh_token: refresh, access_token: access } = answer
  if (typeof refresh === 'string' && refresh !== '')
    return { variable: `${base}_REFRESH_TOKEN`, value: refresh, isRefreshToken: true }
  if (typeof access === 'string' && access !== '')
    return { variable: `${base}_ACCESS_TOKEN`, value: access, isRefreshToken: false }
  throw new ToolError(tool, 'setup', `${tool}: ${new URL(url).origin} answered without a token`)
}
