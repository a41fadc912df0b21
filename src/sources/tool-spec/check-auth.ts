import type { SpecPlace } from './finding.ts'
import { ENV_PATTERN, HEADER_PATTERN } from './schema.ts'
import type { AuthConfig } from './types.ts'

/** Checks an auth configuration: variable names, header names and what belongs together. */
export function checkAuth(auth: AuthConfig, place: SpecPlace): void {
  checkEnv(auth, place.at('env'))
  checkHeader(auth, place)
  for (const key of ['token_url', 'authorization_url', 'discovery_url'] as const) {
    const url = auth[key]
    if (url === undefined || isSafeUrl(url)) continue
    place.at(key).wrong('E068', 'must be an https address (http on this machine only)')
  }
  for (const key of ['also', 'or'] as const) {
    place.at(key).each(auth[key], (other, at) => {
      checkAuth(other, at)
      if (other.or === undefined) return
      const message = 'or has a meaning on the first of the ways only and is ignored here'
      at.at('or').sayKey('W057', message, 'move its entries up')
    })
  }
}

/** Checks the name of an environment variable that holds something secret. */
export function checkEnvName(name: string, place: SpecPlace): void {
  if (looksSecret(name)) {
    const message = `must be the name of an environment variable; found what looks like the secret itself (${mask(name)})`
    const hint = 'put the secret into the environment and write the name of the variable here'
    place.say('E066', message, hint)
  } else if (!ENV_PATTERN.test(name)) {
    const upper = name.toUpperCase().replace(/[^A-Z0-9_]+/g, '_')
    const expected = 'must be the name of an environment variable (A-Z, 0-9 and "_")'
    place.wrong('E061', expected, `for example ${upper.replace(/^(\d)/, '_$1')}`)
  }
}

const SUFFIXES = {
  basic: { suffix: '_USERNAME', code: 'E062', partner: '_PASSWORD' },
  oauth2: { suffix: '_CLIENT_ID', code: 'E063', partner: '_CLIENT_SECRET' },
} as const

function checkEnv({ type, env }: AuthConfig, place: SpecPlace): void {
  const pair = type === 'basic' || type === 'oauth2' ? SUFFIXES[type] : undefined
  if (env === undefined) {
    if (type === 'none') return
    const message = `required for type ${type} but missing; expected the name of an environment variable`
    place.say('E060', message, `add for example env: API${pair?.suffix ?? '_TOKEN'}`)
    return
  }
  checkEnvName(env, place)
  if (type === 'none') {
    const message = 'type none sends no credential: env is ignored'
    place.sayKey('W064', message, 'remove env, or write the type that sends it')
  }
  if (pair === undefined || !ENV_PATTERN.test(env) || looksSecret(env)) return
  if (env.endsWith(pair.suffix)) return
  const expected = `must end in ${pair.suffix} for type ${type}, so that ${pair.partner} can be derived`
  place.wrong(pair.code, expected, `for example ${env}${pair.suffix}`)
}

function checkHeader(auth: AuthConfig, place: SpecPlace): void {
  const { header, prefix, name, in: location } = auth
  if (header !== undefined && (auth.type !== 'api_key' || (location ?? 'header') !== 'header')) {
    const message = 'header means something for an api_key in a header only and is ignored'
    place.at('header').sayKey('W064', message, 'remove it')
  }
  if (header !== undefined && !HEADER_PATTERN.test(header)) {
    place.at('header').wrong('E065', 'must be a header name (letters, digits and "-")')
  }
  if (prefix !== undefined && /[^\t\x20-\x7e]/.test(prefix)) {
    place.at('prefix').wrong('E065', 'must be plain text in one line')
  }
  if (location !== undefined && location !== 'header' && name === undefined) {
    const what = location === 'query' ? 'query parameter' : location
    place.at('name').say('E067', `in: ${location} needs the name of the ${what}`, 'add name: …')
  }
  if (name !== undefined && location !== 'query' && !HEADER_PATTERN.test(name)) {
    place.at('name').wrong('E065', 'must be a header or cookie name')
  }
}

/** Tells whether a secret may be sent to an address: https, or http on this machine. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { hostname, protocol } = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLocal)
}

/** Variable names are upper case; keys and tokens have small letters, are long, or start like one. */
function looksSecret(text: string): boolean {
  if (text.length > 64) return true
  if (/^(sk|pk|rk|ghp|gho|xox[abp]|key|token)[-_]/.test(text)) return true
  return !ENV_PATTERN.test(text) && /[a-z]/.test(text) && /\d/.test(text) && text.length >= 16
}

function mask(text: string): string {
  return `"${text.slice(0, 3)}…", ${text.length} characters`
}
