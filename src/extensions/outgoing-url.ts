import { isIP } from 'node:net'
import { addressKind } from '../wire/address-range.ts'
import { isReachable } from '../wire/public-address.ts'

/** Which addresses callbacks may go to. */
export interface UrlRules {
  readonly allowHosts?: readonly string[]
  readonly allowLoopback?: boolean
}

const MAX_URL_LENGTH = 2048

/**
 * Says what is wrong with a callback address, as the end of a sentence; undefined when nothing is. What a name
 * resolves to is judged when the callback is sent: it may have changed by then.
 */
export function findUrlProblem(url: string, rules: UrlRules): string | undefined {
  if (url.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!URL.canParse(url)) return 'must be an absolute https URL'
  const { protocol, hostname, username, password } = new URL(url)
  const loopback = isLoopback(hostname)
  const plain = protocol === 'http:' && loopback && rules.allowLoopback === true
  if (protocol !== 'https:' && !plain) return 'must be an absolute https URL'
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (!isPublic(hostname, loopback, rules)) return 'must lead to a public address'
  if (!isListed(hostname, rules.allowHosts)) return 'leads to a host that is not on the allowlist'
  return undefined
}

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || kindOf(name) === 'loopback'
}

function isPublic(hostname: string, loopback: boolean, rules: UrlRules): boolean {
  if (loopback) return rules.allowLoopback === true
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 || isReachable(address)
}

function kindOf(hostname: string): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? undefined : addressKind(address)
}

function isListed(hostname: string, allowed: readonly string[] | undefined): boolean {
  if (allowed === undefined) return true
  const name = hostname.replace(/\.$/, '')
  return allowed.some((entry) =>
    entry.startsWith('*.')
      ? name.endsWith(entry.slice(1).toLowerCase())
      : name === entry.toLowerCase(),
  )
}
