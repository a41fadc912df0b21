/** What callers are asked to show when nobody says otherwise. */
export const DEFAULT_CHALLENGE = 'Bearer'

// One header line: anything but printable ASCII could start another one.
const HEADER_VALUE = /^[\x21-\x7e][\x20-\x7e]*$/

/** Refuses a challenge that is no value of a header. */
export function assertChallenge(challenge: string): void {
  if (HEADER_VALUE.test(challenge)) return
  throw new TypeError(
    'challenge: must be a value of WWW-Authenticate such as Bearer realm="orders"',
  )
}

/** Writes the header that every answer with status 401 has (RFC 9110, 15.5.2): how to say who calls. */
export function challengeHeaders(
  status: number,
  ...asked: readonly (string | undefined)[]
): { readonly 'www-authenticate'?: string } {
  if (status !== 401) return {}
  const usable = asked.find((text) => text !== undefined && HEADER_VALUE.test(text))
  return { 'www-authenticate': usable ?? DEFAULT_CHALLENGE }
}
