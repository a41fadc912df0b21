import { BlockList, isIP } from 'node:net'
import type { HttpRequest } from '../wire/index.ts'

/** Proxies whose word about a caller counts. */
export interface ProxyOptions {
  /**
   * Addresses and ranges of the proxies in front of the service, such as `['10.0.0.0/8', '::1']`. `Forwarded` and
   * `X-Forwarded-*` are honoured when they send them, for address, scheme and host; from nobody when absent.
   */
  readonly trustedProxies?: readonly string[]
}

/** Gives a request as the caller sent it to the outermost proxy; the same request unless a trusted proxy says more. */
export type ReadProxies = (request: HttpRequest) => HttpRequest

/** What one proxy says about the request that it got. */
interface Hop {
  readonly address?: string | undefined
  readonly scheme?: string | undefined
  readonly host?: string | undefined
}

/** Creates the reader of what trusted proxies say; undefined when none is trusted. */
export function createProxyReader({ trustedProxies = [] }: ProxyOptions): ReadProxies | undefined {
  if (trustedProxies.length === 0) return undefined
  const list = toBlockList(trustedProxies)
  const isTrusted = (address: string): boolean => {
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  return (request) => {
    const peer = request.peerAddress?.()
    if (peer === undefined || !isTrusted(peer)) return request
    const hops = readHops(request.header)
    if (hops === undefined) return { ...request, fromProxy: true }
    const { address, scheme, host } = findCaller(hops, peer, isTrusted)
    const { header } = request
    return {
      ...request,
      fromProxy: true,
      peerAddress: () => address,
      ...(scheme && { scheme }),
      ...(host && { header: (name) => (name === 'host' ? host : header(name)) }),
    }
  }
}

/** Each proxy vouches for the one before it only: the walk ends at the first address that is nobody's we trust. */
function findCaller(
  hops: readonly Hop[],
  peer: string,
  isTrusted: (address: string) => boolean,
): { readonly address: string; readonly scheme?: 'http' | 'https'; readonly host?: string } {
  let address = peer
  let said: Hop = {}
  for (const hop of hops.slice(-MOST_HOPS).reverse()) {
    // An unknown or hidden caller: what is known is the proxy that would not say.
    if (!isTrusted(address)) break
    said = hop
    if (hop.address === undefined) break
    address = hop.address
  }
  const { scheme = '', host = '' } = said
  return {
    address,
    ...((scheme === 'http' || scheme === 'https') && { scheme }),
    ...(HOST.test(host) && { host }),
  }
}

const MOST_HOPS = 32
const LONGEST = 4_000
const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Two kinds of headers at once: one of them may be the caller's own, so neither counts. */
function readHops(header: HttpRequest['header']): readonly Hop[] | undefined {
  const forwarded = header('forwarded')
  const address = header('x-forwarded-for')
  const scheme = header('x-forwarded-proto')
  const host = header('x-forwarded-host')
  const others = [address, scheme, host]
  if ([forwarded, ...others].some((value) => (value?.length ?? 0) > LONGEST)) return undefined
  const hasOthers = others.some((value) => value !== undefined)
  if (forwarded !== undefined) return hasOthers ? undefined : parseForwarded(forwarded)
  if (!hasOthers) return undefined
  // Most proxies replace the other two; where they add to them, the last is from the proxy that we know.
  const known = { scheme: last(scheme)?.toLowerCase(), host: last(host) }
  const hops = address?.split(',').map((text) => ({ ...known, address: toAddress(text.trim()) }))
  return hops ?? [known]
}

function last(value: string | undefined): string | undefined {
  return value?.split(',').at(-1)?.trim()
}

const PAIR = /\s*([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\]|\\.)*)")\s*([;,]|$)/y

/** Reads `Forwarded` (RFC 7239); undefined when any of it is malformed, for a quote may hide what a proxy added. */
function parseForwarded(text: string): readonly Hop[] | undefined {
  const hops: Hop[] = []
  let pairs = new Map<string, string>()
  PAIR.lastIndex = 0
  for (;;) {
    const found = PAIR.exec(text)
    if (found === null) return undefined
    const [, name = '', token, quoted = '', end] = found
    const key = name.toLowerCase()
    if (pairs.has(key)) return undefined
    pairs.set(key, token ?? quoted.replace(/\\(.)/g, '$1'))
    if (end === ';') continue
    const [address, scheme] = [pairs.get('for'), pairs.get('proto')?.toLowerCase()]
    hops.push({ address: toAddress(address), scheme, host: pairs.get('host') })
    if (end !== ',') return hops
    pairs = new Map()
  }
}

/** Gives the address of a node, without its port; undefined for `unknown`, hidden names and nonsense. */
function toAddress(node = ''): string | undefined {
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(node)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(node)?.[1] ?? node
  return isIP(bare) === 0 || bare.includes('%') ? undefined : bare
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [, network = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(range) ?? []
    const family = isIP(network)
    const most = family === 6 ? 128 : 32
    const prefix = bits === undefined ? most : Number(bits)
    // A range of all addresses would let every caller choose who they are.
    if (family === 0 || prefix === 0 || prefix > most) {
      throw new TypeError(
        `trustedProxies: must be addresses or ranges such as 10.0.0.0/8, not "${range.slice(0, 100)}"`,
      )
    }
    list.addSubnet(network, prefix, family === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}
