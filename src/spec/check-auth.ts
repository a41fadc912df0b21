import { quote, type Report } from './finding.ts'
import { ENV_PATTERN, HEADER_PATTERN } from './patterns.ts'
import type { AuthConfig } from './types.ts'
import type { Step } from './yaml-source.ts'

/** Checks an auth configuration: variable names, header names and what belongs together. */
export function checkAuth(auth: AuthConfig, path: readonly Step[], report: Report): void {
  checkEnv(auth, path, report)
  checkHeader(auth, path, report)
  for (const key of ['token_url', 'authorization_url', 'discovery_url'] as const) {
    const url = auth[key]
    if (url === undefined || isSafeUrl(url)) continue
    const message = `must be an https address (http on this machine only); found ${quote(url)}`
    report({ code: 'E068', path: [...path, key], message })
  }
  for (const key of ['also', 'or'] as const) {
    for (const [index, other] of (auth[key] ?? []).entries()) {
      checkAuth(other, [...path, key, index], report)
      if (other.or !== undefined) {
        const message = 'or has a meaning on the first of the ways only and is ignored here'
        const at = [...path, key, index, 'or']
        report({ code: 'W057', path: at, atKey: true, message, hint: 'move its entries up' })
      }
    }
  }
}

/** Checks the name of an environment variable that holds something secret. */
export function checkEnvName(name: string, path: readonly Step[], report: Report): void {
  if (looksSecret(name)) {
    report({
      code: 'E066',
      path,
      message: `must be the name of an environment variable; found what looks like the secret itself (${mask(name)})`,
      hint: 'put the secret into the environment and write the name of the variable here',
    })
  } else if (!ENV_PATTERN.test(name)) {
    const message = `must be the name of an environment variable (A-Z, 0-9 and "_"); found ${quote(name)}`
    const upper = name.toUpperCase().replace(/[^A-Z0-9_]+/g, '_')
    report({ code: 'E061', path, message, hint: `for example ${upper.replace(/^(\d)/, '_$1')}` })
  }
}

const SUFFIXES = {
  basic: { suffix: '_USERNAME', code: 'E062', partner: '_PASSWORD' },
  oauth2: { suffix: '_CLIENT_ID', code: 'E063', partner: '_CLIENT_SECRET' },
} as const

function checkEnv(auth: AuthConfig, path: readonly Step[], report: Report): void {
  const at = [...path, 'env']
  if (auth.env === undefined) {
    if (auth.type === 'none') return
    const example =
      auth.type === 'basic'
        ? 'API_USERNAME'
        : auth.type === 'oauth2'
          ? 'API_CLIENT_ID'
          : 'API_TOKEN'
    report({
      code: 'E060',
      path: at,
      message: `required for type ${auth.type} but missing; expected the name of an environment variable`,
      hint: `add for example env: ${example}`,
    })
    return
  }
  checkEnvName(auth.env, at, report)
  if (auth.type !== 'basic' && auth.type !== 'oauth2') return
  const { suffix, code, partner } = SUFFIXES[auth.type]
  if (!ENV_PATTERN.test(auth.env) || looksSecret(auth.env) || auth.env.endsWith(suffix)) return
  report({
    code,
    path: at,
    message: `must end in ${suffix} for type ${auth.type}, so that ${partner} can be derived; found ${quote(auth.env)}`,
    hint: `for example ${auth.env}${suffix}`,
  })
}

function checkHeader(auth: AuthConfig, path: readonly Step[], report: Report): void {
  const inHeader = auth.type === 'api_key' && (auth.in ?? 'header') === 'header'
  if (auth.header !== undefined && !inHeader) {
    const message = 'header means something for an api_key in a header only and is ignored'
    report({ code: 'W064', path: [...path, 'header'], atKey: true, message, hint: 'remove it' })
  }
  if (auth.header !== undefined && !HEADER_PATTERN.test(auth.header)) {
    const message = `must be a header name (letters, digits and "-"); found ${quote(auth.header)}`
    report({ code: 'E065', path: [...path, 'header'], message })
  }
  if (auth.prefix !== undefined && /[^\t\x20-\x7e]/.test(auth.prefix)) {
    const message = `must be plain text in one line; found ${quote(auth.prefix)}`
    report({ code: 'E065', path: [...path, 'prefix'], message })
  }
  if (auth.in !== undefined && auth.in !== 'header' && auth.name === undefined) {
    const message = `in: ${auth.in} needs the name of the ${auth.in} ${auth.in === 'query' ? 'parameter' : ''}`
    report({ code: 'E067', path: [...path, 'name'], message: message.trim(), hint: 'add name: …' })
  }
  if (auth.name !== undefined && auth.in !== 'query' && !HEADER_PATTERN.test(auth.name)) {
    const message = `must be a header or cookie name; found ${quote(auth.name)}`
    report({ code: 'E065', path: [...path, 'name'], message })
  }
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
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
