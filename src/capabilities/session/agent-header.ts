import { isHttps, isLoopbackUrl } from '../authority.ts'

/** What a `UCP-Agent` header says: where the profile of the platform is. */
export type AgentHeader =
  | { readonly ok: true; readonly profile: string }
  | { readonly ok: false; readonly code: 'invalid_profile_url'; readonly message: string }

/** Reads a `UCP-Agent` header, an RFC 8941 dictionary whose `profile` is a quoted https URL. */
export function parseAgentHeader(
  header: string | undefined,
  options: { readonly allowLoopback?: boolean } = {},
): AgentHeader {
  if (header === undefined) return refuse('the UCP-Agent header is missing')
  const members = parseDictionary(header)
  if (members === undefined) return refuse('the UCP-Agent header is not an RFC 8941 dictionary')
  const profile = members.get('profile')
  if (profile === undefined) return refuse('the UCP-Agent header has no member `profile`')
  if (profile.kind !== 'string') return refuse('`profile` must be a quoted string')
  return judgeProfileUrl(profile.text, options)
}

/** URLs are remembered, so they have a length. */
const LONGEST_URL = 2_048

/** Judges the URL a platform announces for its profile. */
export function judgeProfileUrl(
  url: unknown,
  options: { readonly allowLoopback?: boolean } = {},
): AgentHeader {
  if (typeof url !== 'string' || !URL.canParse(url)) return refuse('the profile must be a URL')
  if (url.length > LONGEST_URL) {
    return refuse(`the URL of the profile is longer than ${LONGEST_URL} characters`)
  }
  const { username, password } = new URL(url)
  const local = options.allowLoopback === true && isLoopbackUrl(url)
  if (username !== '' || password !== '') return refuse('the URL must not hold credentials')
  if (!isHttps(url) && !local) return refuse('the URL of the profile must be https')
  return { ok: true, profile: url }
}

/** Writes the `UCP-Agent` header that announces a profile. */
export function formatAgentHeader(profile: string): string {
  return `profile="${new URL(profile).href.replace(/["\\]/g, '\\$&')}"`
}

function refuse(message: string): AgentHeader {
  return { ok: false, code: 'invalid_profile_url', message }
}

interface Item {
  readonly kind: 'string' | 'other'
  readonly text: string
}

const KEY = /^[a-z*][a-z0-9_.*-]*/

const STRING = /^"((?:[ !#-[\]-~]|\\["\\])*)"/

// Numbers, tokens, byte sequences and booleans: only where they end matters here.
const BARE = /^(?:-?\d[\d.]*|[A-Za-z*][!#$%&'*+\-.^_`|~:/\w]*|:[A-Za-z0-9+/=]*:|\?[01])/

const SPACES = /^[ \t]*/

function parseDictionary(text: string): ReadonlyMap<string, Item> | undefined {
  let rest = text.trim()
  const members = new Map<string, Item>()

  function take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(rest) ?? undefined
    if (match) rest = rest.slice(match[0].length)
    return match
  }
  function skip(character: string): boolean {
    const isThere = rest.startsWith(character)
    if (isThere) rest = rest.slice(1)
    return isThere
  }
  function readItem(): Item | undefined {
    const quoted = take(STRING)
    if (quoted) return { kind: 'string', text: (quoted[1] ?? '').replace(/\\(.)/g, '$1') }
    const bare = take(BARE)
    return bare && { kind: 'other', text: bare[0] }
  }
  function readMember(): Item | undefined {
    if (!skip('(')) return readItem()
    for (;;) {
      take(SPACES)
      if (skip(')')) return { kind: 'other', text: '' }
      if (readItem() === undefined || !skipParameters()) return undefined
    }
  }
  function skipParameters(): boolean {
    while (skip(';')) {
      take(SPACES)
      if (!take(KEY)) return false
      if (skip('=') && readItem() === undefined) return false
    }
    return true
  }

  while (rest !== '') {
    const key = take(KEY)?.[0]
    if (key === undefined) return undefined
    const item = skip('=') ? readMember() : { kind: 'other' as const, text: '?1' }
    if (item === undefined || !skipParameters()) return undefined
    members.set(key, item)
    take(SPACES)
    if (rest === '') return members
    if (!skip(',')) return undefined
    take(SPACES)
    if (rest === '') return undefined
  }
  return members
}
