import type { Principal } from '../core/call.ts'
import type { HttpRequest } from './http.ts'

/**
 * Gives the name under which the memory and the budgets of one caller are counted. Behind a proxy that is trusted it
 * can read the address the proxy supplies: every other header is the caller's own choice.
 */
export type CallerKey = (request: HttpRequest, principal: Principal | undefined) => string

const LONGEST_KEY = 200

/** Names a caller by its principal, otherwise by the network its connection comes from. */
export const callerOf: CallerKey = (request, principal) =>
  principal === undefined ? toNetwork(request.peerAddress?.()) : `principal ${principal.id}`

/** Makes a key short enough to be remembered: a hook may hand on whatever a caller sent. */
export function readCallerKey(
  callerKey: CallerKey | undefined,
  request: HttpRequest,
  principal: Principal | undefined,
): string {
  const key = (callerKey ?? callerOf)(request, principal)
  return key.length > LONGEST_KEY ? copyStart(key, LONGEST_KEY) : key
}

/** Copies the beginning of a text: a slice would keep the whole of it in memory. */
export function copyStart(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
}

/** One IPv6 customer has 2^64 addresses, so what counts is the first half of the address. */
function toNetwork(address: string | undefined): string {
  if (address === undefined) return ''
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
