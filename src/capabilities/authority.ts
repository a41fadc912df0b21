/** Decides whether a URL may define an entity of a given name. */
export interface Authority {
  /** Tells whether the host of `url`, read backwards, is the name or a label-aligned prefix of it. */
  readonly owns: (name: string, url: string) => boolean
}

/** What may be relaxed when looking at URLs. */
export interface AuthorityOptions {
  /** Accepts schemas on loopback hosts whatever the name, for local development only. */
  readonly allowLoopback?: boolean
}

/** Makes an authority check that remembers the hosts it has taken apart. */
export function createAuthority(options: AuthorityOptions = {}): Authority {
  const known = new Map<string, string | undefined>()
  const allowLoopback = options.allowLoopback === true

  function prefixOf(url: string): string | undefined {
    const host = plainHost(url)
    if (host === undefined) return derivePrefix(url, allowLoopback)
    if (!known.has(host)) known.set(host, derivePrefix(url, allowLoopback))
    return known.get(host)
  }

  return {
    owns: (name, url) => {
      const prefix = prefixOf(url)
      return prefix !== undefined && startsAtLabel(name, prefix)
    },
  }
}

/** Tells whether a text is an absolute https URL without credentials. */
export function isHttps(url: string): boolean {
  if (plainHost(url) !== undefined) return true
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return protocol === 'https:' && username === '' && password === ''
}

/** Tells whether a URL names this machine itself. */
export function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return LOOPBACK_HOST.test(hostname)
}

const LOOPBACK_HOST = /^(?:(?:.*\.)?localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/

// The URL parser has already turned every spelling of an IPv4 address into four numbers.
const IP_LITERAL = /^(?:\[.*\]|\d+\.\d+\.\d+\.\d+)$/

// The empty prefix owns every name: reached by loopback hosts in development alone.
const EVERY_NAME = ''

function startsAtLabel(name: string, prefix: string): boolean {
  if (prefix === EVERY_NAME) return true
  if (!name.startsWith(prefix)) return false
  return name.length === prefix.length || name[prefix.length] === '.'
}

// Only a host of plain characters may be remembered: with a tab or a line break inside, the URL
// parser would see another host than this cut does.
function plainHost(url: string): string | undefined {
  if (!url.startsWith('https://')) return undefined
  const slash = url.indexOf('/', 8)
  const host = slash < 0 ? url.slice(8) : url.slice(8, slash)
  return PLAIN_HOST.test(host) ? host : undefined
}

const PLAIN_HOST = /^[a-z0-9][a-z0-9.-]*$/

function derivePrefix(url: string, allowLoopback: boolean): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return undefined
  if (allowLoopback && isLoopbackUrl(url)) return EVERY_NAME
  if (protocol !== 'https:') return undefined
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (IP_LITERAL.test(host)) return undefined
  const labels = host.split('.')
  if (labels.length < 2 || labels.includes('')) return undefined
  return labels.reverse().join('.')
}
