import { createHash, randomBytes } from 'node:crypto'
import { type AuthContext, missingVariable, requireVariable } from './auth.ts'
import {
  clientHeaders,
  fetchJson,
  postForm,
  requireSafeUrl,
  tokenUrl,
  variableBase,
} from './oauth2.ts'
import type { AuthRule } from './operation.ts'
import { ToolError } from './tool-error.ts'

/** How people log in; code that only calls the API does not need to know. */
export interface LoginRule extends AuthRule {
  readonly authorization_url?: string
}

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
  const url = new URL(await authorizationUrl(rule, context))
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
  const id = requireVariable(env, rule.env ?? '', tool)
  const secret = env[`${base}_CLIENT_SECRET`] || undefined
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: login.code,
    redirect_uri: login.redirectUri,
    code_verifier: login.verifier,
  })
  const headers = clientHeaders({ id, secret, asBody: env[`${base}_CLIENT_AUTH`] === 'post' }, form)
  const secrets = [login.code, login.verifier, ...(secret === undefined ? [] : [secret])]
  const url = await tokenUrl(rule, context)
  const answer = await postForm(url, { form, headers, secrets }, context)
  const { refresh_token: refresh, access_token: access } = answer
  if (typeof refresh === 'string' && refresh !== '')
    return { variable: `${base}_REFRESH_TOKEN`, value: refresh, isRefreshToken: true }
  if (typeof access === 'string' && access !== '')
    return { variable: `${base}_ACCESS_TOKEN`, value: access, isRefreshToken: false }
  throw new ToolError(tool, 'setup', `${tool}: ${new URL(url).origin} answered without a token`)
}

async function authorizationUrl(rule: LoginRule, context: AuthContext): Promise<string> {
  const { env, tool } = context
  const variable = `${variableBase(rule)}_AUTHORIZATION_URL`
  const given = env[variable] || rule.authorization_url
  if (given) return requireSafeUrl(given, tool)
  if (rule.discovery_url === undefined) throw missingVariable(tool, [variable])
  const document = await fetchJson(requireSafeUrl(rule.discovery_url, tool), {}, [], context)
  const found = document['authorization_endpoint']
  if (typeof found === 'string') return requireSafeUrl(found, tool)
  throw missingVariable(tool, [variable])
}
