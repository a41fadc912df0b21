import { toBase64 } from '../../files/index.ts'
import { isRecord, untilAborted } from '../../values/index.ts'
import {
  type AuthContext,
  type Authenticator,
  type Credential,
  headerCredential,
  missingVariable,
  requireVariable,
} from './auth.ts'
import type { AuthRule } from './operation.ts'
import { createSecretMask, ToolError } from './tool-error.ts'

/** How people log in; code that only calls the API does not need to know. */
export interface LoginRule extends AuthRule {
  readonly authorization_url?: string
}

const EXPIRY_SKEW_MS = 60_000
const USUAL_LIFETIME_S = 300
const TOKEN_TIMEOUT_MS = 10_000

interface Token {
  readonly value: string
  readonly expiresAt: number
  readonly secrets: readonly string[]
}

/** Fetches and keeps OAuth 2 tokens: refresh token if there is one, else client credentials. */
export function createOauth2(): Authenticator {
  const tokens = new Map<string, Token>()
  const pending = new Map<string, Promise<Token>>()
  const rotated = new Map<string, string>()

  async function fetchToken(key: string, rule: AuthRule, context: AuthContext): Promise<Token> {
    try {
      const token = await requestToken(rule, context, rotated)
      tokens.set(key, token)
      return token
    } finally {
      pending.delete(key)
    }
  }

  return async function readOauth2(rule, context) {
    const base = variableBase(rule)
    const key = `${base} ${rule.token_url ?? ''} ${(rule.scopes ?? []).join(' ')}`
    const known = tokens.get(key)
    const fixed = context.env[`${base}_ACCESS_TOKEN`]
    if (fixed && fixed !== context.rejected && known === undefined) return toCredential(fixed, [])
    if (known && known.value === context.rejected) tokens.delete(key)
    else if (known && known.expiresAt - context.now() > EXPIRY_SKEW_MS) {
      return toCredential(known.value, known.secrets)
    }
    const running = pending.get(key) ?? fetchToken(key, rule, context)
    pending.set(key, running)
    const token = await untilAborted(running, context.signal)
    return toCredential(token.value, token.secrets)
  }
}

function toCredential(token: string, secrets: readonly string[]): Credential {
  const credential = headerCredential('Authorization', `Bearer ${token}`, [token, ...secrets])
  return { ...credential, token }
}

/** Gives what the names of all variables of a client begin with. */
export function variableBase(rule: AuthRule): string {
  return (rule.env ?? '').replace(/_CLIENT_ID$/, '')
}

// The request is shared: one caller that gives up must not take the token away from the others.
async function requestToken(
  rule: AuthRule,
  context: AuthContext,
  rotated: Map<string, string>,
): Promise<Token> {
  const { env, tool } = context
  const base = variableBase(rule)
  const refreshToken = rotated.get(base) ?? env[`${base}_REFRESH_TOKEN`]
  requireVariable(env, rule.env ?? '', tool)
  const secret = env[`${base}_CLIENT_SECRET`]
  if (!refreshToken && !secret) throw missingVariable(tool, [`${base}_CLIENT_SECRET`])
  const secrets = [secret ?? '', refreshToken ?? ''].filter((value) => value !== '')
  const { answer, url } = await askForToken(
    rule,
    grantFields(rule, context, refreshToken),
    secrets,
    context,
  )
  if (typeof answer['access_token'] !== 'string') {
    throw new ToolError(tool, 'setup', `${tool}: ${origin(url)} answered without an access_token`)
  }
  if (typeof answer['refresh_token'] === 'string') rotated.set(base, answer['refresh_token'])
  const seconds = toLifetime(answer['expires_in'])
  return { value: answer['access_token'], expiresAt: context.now() + seconds * 1000, secrets }
}

/** Some servers write the number in quotes. */
function toLifetime(value: unknown): number {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : USUAL_LIFETIME_S
}

function grantFields(
  rule: AuthRule,
  { env }: AuthContext,
  refreshToken: string | undefined,
): Record<string, string> {
  const base = variableBase(rule)
  const scope = rule.scopes?.join(' ') ?? env[`${base}_SCOPES`]
  const audience = env[`${base}_AUDIENCE`]
  return {
    ...(refreshToken
      ? { grant_type: 'refresh_token', refresh_token: refreshToken }
      : { grant_type: 'client_credentials', ...(scope && { scope }) }),
    ...(audience && { audience }),
  }
}

/**
 * Proves who the client is, in a header or in the form. RFC 6749, 2.3.1: id and secret are form-encoded
 * before they are joined and encoded once more.
 */
function clientHeaders(
  client: { readonly id: string; readonly secret: string | undefined; readonly asBody: boolean },
  form: URLSearchParams,
): Record<string, string> {
  if (client.asBody || client.secret === undefined) {
    form.set('client_id', client.id)
    if (client.secret !== undefined) form.set('client_secret', client.secret)
    return {}
  }
  const pair = `${formEncode(client.id)}:${formEncode(client.secret)}`
  return { authorization: `Basic ${toBase64(new TextEncoder().encode(pair))}` }
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** Finds an address of the login server: in the environment, in the rule, else by discovery; undefined when discovery names none. */
export async function findEndpoint(
  kind: 'token' | 'authorization',
  rule: LoginRule,
  context: AuthContext,
): Promise<string | undefined> {
  const { env, tool } = context
  const variable = `${variableBase(rule)}_${kind.toUpperCase()}_URL`
  const url = env[variable] || rule[`${kind}_url`]
  if (url) return requireSafeUrl(url, tool)
  if (rule.discovery_url === undefined) throw missingVariable(tool, [variable])
  const document = await fetchJson(requireSafeUrl(rule.discovery_url, tool), {}, [], context)
  const found = document[`${kind}_endpoint`]
  return typeof found === 'string' ? requireSafeUrl(found, tool) : undefined
}

/** Finds the address that gives tokens. */
export async function tokenUrl(rule: AuthRule, context: AuthContext): Promise<string> {
  const url = await findEndpoint('token', rule, context)
  if (url !== undefined) return url
  const message = `${context.tool}: ${origin(rule.discovery_url ?? '')} names no token_endpoint`
  throw new ToolError(context.tool, 'setup', message)
}

/** Refuses an address on which a secret could be overheard. */
function requireSafeUrl(text: string, tool: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url.href
  throw new ToolError(
    tool,
    'setup',
    `${tool}: the token URL must be https, or http on this machine`,
  )
}

/** Asks for a token, proving who the client is; gives the answer and the address it came from. */
export async function askForToken(
  rule: AuthRule,
  fields: Readonly<Record<string, string>>,
  secrets: readonly string[],
  context: AuthContext,
): Promise<{ readonly answer: Record<string, unknown>; readonly url: string }> {
  const { env, tool } = context
  const base = variableBase(rule)
  const form = new URLSearchParams(fields)
  const client = {
    id: requireVariable(env, rule.env ?? '', tool),
    secret: env[`${base}_CLIENT_SECRET`] || undefined,
    asBody: env[`${base}_CLIENT_AUTH`] === 'post',
  }
  const own = clientHeaders(client, form)
  const url = await tokenUrl(rule, context)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...own }
  const init = { method: 'POST', headers, body: form.toString() }
  return { answer: await fetchJson(url, init, [...secrets, ...Object.values(own)], context), url }
}

/** Fetches a JSON object; a refusal becomes an error without secrets. */
async function fetchJson(
  url: string,
  init: RequestInit,
  secrets: readonly string[],
  context: AuthContext,
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(TOKEN_TIMEOUT_MS)
  const headers = { accept: 'application/json', ...init.headers }
  let status = 0
  let text = ''
  try {
    const response = await context.fetch(url, { ...init, headers, redirect: 'error', signal })
    status = response.status
    text = await response.text()
  } catch (cause) {
    const problem = `${context.tool}: ${origin(url)} could not be reached for a token`
    throw new ToolError(context.tool, signal.aborted ? 'timeout' : 'network', problem, { cause })
  }
  const answer = parseRecord(text)
  if (status >= 200 && status < 300) return answer
  const said = [answer['error'], answer['error_description']].filter(
    (part) => typeof part === 'string',
  )
  const reason = createSecretMask(secrets)(said.join(': ')).slice(0, 300)
  throw new ToolError(
    context.tool,
    'setup',
    `${context.tool}: ${origin(url)} refused a token with status ${status}${reason && ` (${reason})`}`,
  )
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function origin(url: string): string {
  return new URL(url).origin
}
