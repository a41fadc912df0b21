import { asList, defined, entriesOf } from '../../values/index.ts'
import {
  type AuthConfig,
  HEADER_PATTERN,
  isSafeUrl,
  type OauthFlow,
  toEnvDomain,
  waysOf,
} from '../tool-spec/index.ts'
import { toSnake } from './names.ts'
import { asFilledText, asNode, asText, type Node, read, type Warn } from './node.ts'
import type { OpenedDocument } from './operations.ts'
import type { CredentialParameter } from './parameters.ts'
import { convertSecurityScheme } from './swagger2.ts'

/** Chooses how each operation authenticates. */
export interface AuthChooser {
  /** Gives the auth of an operation, or nothing when the document asks for none. */
  choose(
    security: unknown,
    credentials: readonly CredentialParameter[],
    warn: Warn,
  ): AuthConfig | undefined
}

/** Creates a chooser for one document; variable names are the same for all its operations. */
export function createAuthChooser(
  opened: OpenedDocument,
  domain: string,
  warnAll: Warn,
): AuthChooser {
  const schemes = readSchemes(opened)
  const prefix = toEnvDomain(domain)
  const keys = [...schemes]
    .filter(([, scheme]) => asText(scheme['type'])?.toLowerCase() === 'apikey')
    .map(([name]) => name)
  const context: AuthContext = { schemes, prefix, keys }
  // What the document demands of all operations is judged once, not once per operation.
  let shared: { readonly auth: AuthConfig | undefined } | undefined
  const common = (): AuthConfig | undefined => {
    shared ??= { auth: fromRequirements(read(opened.document, 'security'), context, warnAll) }
    return shared.auth
  }
  return {
    choose(security, credentials, warn) {
      const isShared = security !== undefined && security === read(opened.document, 'security')
      const chosen = isShared ? common() : fromRequirements(security, context, warn)
      return withCredentials(chosen, credentials, context, warn)
    },
  }
}

interface AuthContext {
  readonly schemes: ReadonlyMap<string, Node>
  readonly prefix: string
  /** Names of the API key schemes: the first gets the short variable name. */
  readonly keys: readonly string[]
}

function readSchemes(opened: OpenedDocument): Map<string, Node> {
  const { document, version, resolver } = opened
  const old = asNode(read(document, 'securityDefinitions'))
  const current = asNode(read(read(document, 'components'), 'securitySchemes'))
  // Where the version keeps them, else where the other version does.
  const isOld = old !== undefined && (version === '2.0' || current === undefined)
  const schemes = new Map<string, Node>()
  for (const [name, value] of entriesOf(isOld ? old : current)) {
    const resolved = resolver.resolve(value)
    const scheme = resolved.found ? asNode(resolved.node) : undefined
    if (scheme) schemes.set(name, isOld ? convertSecurityScheme(scheme) : scheme)
  }
  return schemes
}

function fromRequirements(
  security: unknown,
  context: AuthContext,
  warn: Warn,
): AuthConfig | undefined {
  if (!Array.isArray(security)) return undefined
  const alternatives = security.map((alternative) => entriesOf(alternative))
  const named = alternatives.filter((entries) => entries.length > 0)
  const isOptional = named.length < alternatives.length || alternatives.length === 0
  const expressed = named.map((entries) => toAuth(entries, context))
  const ways = keepReachable(expressed.flatMap((way) => ('auth' in way ? [way.auth] : [])))
  if (ways.length > 0) {
    if (ways.length > 1) {
      const names = named.filter((_, index) => 'auth' in (expressed[index] ?? {})).map(label)
      const message = `${names.length} ways to authenticate (${names.slice(0, 4).join(', ')}); the first whose variables are set is used`
      warn('W106', message, 'auth')
    }
    return joinWays(ways, isOptional)
  }
  if (isOptional) return { type: 'none' }
  const reasons = expressed.flatMap((failed) => ('reason' in failed ? failed.reason : []))
  warn(
    'W105',
    `the way to authenticate cannot be expressed: ${reasons.slice(0, 3).join('; ')}`,
    'auth',
  )
  return { type: 'none' }
}

/** Leaves out what is never used: whenever its variables are set, so are those of an earlier way. */
function keepReachable(ways: readonly AuthConfig[]): AuthConfig[] {
  const variables = (way: AuthConfig): Set<string | undefined> =>
    new Set([way, ...(way.also ?? [])].map(({ env }) => env))
  return ways.filter((way, index) => {
    const own = variables(way)
    return !ways
      .slice(0, index)
      .some((earlier) => [...variables(earlier)].every((name) => own.has(name)))
  })
}

function joinWays(ways: readonly AuthConfig[], isOptional: boolean): AuthConfig {
  const [first = { type: 'none' }, ...others] = ways
  const or: AuthConfig[] = isOptional ? [...others, { type: 'none' }] : others
  return first.type === 'none' || or.length === 0 ? first : { ...first, or }
}

function label(entries: readonly [string, unknown][]): string {
  return entries.map(([name]) => `"${name.slice(0, 60)}"`).join(' with ')
}

type Expressed = { readonly auth: AuthConfig } | { readonly reason: string }

/** All schemes of one alternative together: the first, the others in `also`. */
function toAuth(entries: readonly [string, unknown][], context: AuthContext): Expressed {
  const parts: AuthConfig[] = []
  for (const [name, scopes] of entries) {
    const scheme = context.schemes.get(name)
    if (scheme === undefined) return { reason: `no scheme is called "${name.slice(0, 60)}"` }
    const part = schemeToAuth(name, scheme, scopes, context)
    if ('reason' in part) return part
    parts.push(part.auth)
  }
  const [first, ...others] = parts
  if (first === undefined) return { reason: 'no scheme is named' }
  return { auth: others.length === 0 ? first : { ...first, also: others } }
}

function schemeToAuth(
  name: string,
  scheme: Node,
  scopes: unknown,
  context: AuthContext,
): Expressed {
  const type = asText(scheme['type'])?.toLowerCase()
  const { prefix } = context
  if (type === 'http') {
    const http = asText(scheme['scheme'])?.toLowerCase()
    if (http === 'bearer') return { auth: { type: 'bearer', env: `${prefix}_API_TOKEN` } }
    if (http === 'basic') return { auth: { type: 'basic', env: `${prefix}_USERNAME` } }
    return { reason: `http scheme "${(http ?? '').slice(0, 30)}"` }
  }
  if (type === 'apikey') return apiKey(name, scheme, context)
  if (type === 'oauth2') return { auth: oauth(scheme, scopes, prefix) }
  if (type === 'openidconnect') {
    const url = defined({ discovery_url: secureUrl(scheme['openIdConnectUrl']) })
    return { auth: { type: 'oauth2', env: `${prefix}_CLIENT_ID`, ...scopesOf(scopes), ...url } }
  }
  return { reason: `security scheme of type "${String(type).slice(0, 30)}"` }
}

function apiKey(name: string, scheme: Node, context: AuthContext): Expressed {
  const key = asFilledText(scheme['name'])?.trim()
  const place = asText(scheme['in'])?.toLowerCase()
  if (key === undefined) return { reason: `the API key "${name.slice(0, 60)}" has no name` }
  const described = `${asText(scheme['description']) ?? ''} ${name} ${asText(scheme['x-bearer-format']) ?? ''}`
  if (place === 'header' && /^authorization$/i.test(key) && /\bbearer\b/i.test(described)) {
    return { auth: { type: 'bearer', env: `${context.prefix}_API_TOKEN` } }
  }
  const env = envOfKey(name, context)
  if (place === 'query') return { auth: { type: 'api_key', env, in: 'query', name: key } }
  if (!HEADER_PATTERN.test(key))
    return { reason: `the API key "${key.slice(0, 60)}" is not a header name` }
  if (place === 'cookie') return { auth: { type: 'api_key', env, in: 'cookie', name: key } }
  return { auth: { type: 'api_key', env, header: key } }
}

/** The first API key gets the short name, the others carry the name of their scheme. */
function envOfKey(name: string, context: AuthContext): string {
  const first = context.keys[0] === name || context.keys.length === 0
  const own = toSnake(name).toUpperCase()
  if (first || own === '') return `${context.prefix}_API_KEY`
  return `${context.prefix}_${/KEY|TOKEN|SECRET|ID$/.test(own) ? own : `${own}_API_KEY`}`
}

const FLOWS: readonly (readonly [string, OauthFlow])[] = [
  ['clientCredentials', 'client_credentials'],
  ['authorizationCode', 'authorization_code'],
  ['password', 'password'],
  ['implicit', 'implicit'],
]

function oauth(scheme: Node, scopes: unknown, prefix: string): AuthConfig {
  const flows = read(scheme, 'flows')
  const [key, flow] = FLOWS.find(([name]) => asNode(read(flows, name)) !== undefined) ?? []
  const tokenUrl = key === undefined ? undefined : secureUrl(read(read(flows, key), 'tokenUrl'))
  const loginUrl = secureUrl(read(read(flows, 'authorizationCode'), 'authorizationUrl'))
  return {
    type: 'oauth2',
    env: `${prefix}_CLIENT_ID`,
    ...scopesOf(scopes),
    ...defined({ token_url: tokenUrl, authorization_url: loginUrl, flow }),
  }
}

/** Secrets and people are sent there: anything but https, or http on this machine, is left for the environment to say. */
function secureUrl(value: unknown): string | undefined {
  const url = asFilledText(value)?.trim()
  return url !== undefined && isSafeUrl(url) ? url : undefined
}

function scopesOf(scopes: unknown): { scopes?: string[] } {
  const names = asList(scopes).flatMap((scope) => asFilledText(scope) ?? [])
  return names.length > 0 ? { scopes: names } : {}
}

/** Credentials that the document writes as plain parameters. */
function withCredentials(
  auth: AuthConfig | undefined,
  credentials: readonly CredentialParameter[],
  context: AuthContext,
  warn: Warn,
): AuthConfig | undefined {
  const ways = auth === undefined ? [] : waysOf(auth).filter((way) => way.length > 0)
  const isOptional = auth === undefined || waysOf(auth).some((way) => way.length === 0)
  const known = new Set(ways.flat().map((part) => (part.name ?? part.header ?? '').toLowerCase()))
  const added: AuthConfig[] = []
  let isNeeded = false
  for (const { name, in: place, required } of credentials) {
    const where = `params.${name}`
    if (known.has(name.toLowerCase()))
      warn('W111', 'a credential is taken from the environment', where)
    else if ((!required && ways.length > 0) || (place === 'header' && !HEADER_PATTERN.test(name))) {
      warn('W111', 'an optional credential is not an argument; it is not sent', where)
    } else {
      warn('W111', 'a credential becomes auth and is taken from the environment', where)
      isNeeded ||= required
      const env = `${context.prefix}_${toSnake(name).toUpperCase() || 'API_KEY'}`
      added.push({
        type: 'api_key',
        env,
        ...(place === 'query' ? { in: 'query', name } : { header: name }),
      })
    }
  }
  if (added.length === 0) return auth
  const withAll = (isOptional ? [...ways, []] : ways).map((way) => [...way, ...added])
  const alone = isNeeded || added.length === 1 ? [] : added.map((one) => [one])
  return joinWays([...withAll, ...alone].map(toWay), isOptional && !isNeeded)
}

function toWay([first, ...others]: readonly AuthConfig[]): AuthConfig {
  const { also: _, or: __, ...bare } = first ?? { type: 'none' }
  return others.length === 0 ? bare : { ...bare, also: others.map(({ or: ___, ...one }) => one) }
}
