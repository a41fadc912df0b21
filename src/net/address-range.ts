import { BlockList, isIP } from 'node:net'

/** What kind of network an address belongs to; only `public` may be reached by default. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'reserved'

/** Tells what kind of network an IP address belongs to; anything else counts as reserved. */
export function addressKind(address: string): AddressKind {
  const plain = address.split('%', 1)[0] ?? ''
  const family = isIP(plain)
  if (family === 4) return kindOfV4(plain)
  if (family === 6) return kindOfV6(plain)
  return 'reserved'
}

const LOOPBACK_V4 = ranges('ipv4', ['127.0.0.0/8'])

const PRIVATE_V4 = ranges('ipv4', [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
])

// RFC 6890 and its registry: this network, link-local (cloud metadata lives there), protocol
// assignments, documentation, relays, benchmarks, multicast, future use and broadcast.
const RESERVED_V4 = ranges('ipv4', [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

const PRIVATE_V6 = ranges('ipv6', ['fc00::/7', 'fec0::/10'])

const GLOBAL_V6 = ranges('ipv6', ['2000::/3'])

// Inside 2000::/3: protocol assignments with Teredo, documentation, 6to4 (it carries an IPv4 address).
const RESERVED_V6 = ranges('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

// An IPv4 address in the last 32 bits: mapped, deprecated compatible, NAT64.
const CARRIES_V4 = ranges('ipv6', ['::ffff:0:0/96', '::/96', '64:ff9b::/96'])

function kindOfV4(address: string): AddressKind {
  if (LOOPBACK_V4.check(address)) return 'loopback'
  if (PRIVATE_V4.check(address)) return 'private'
  return RESERVED_V4.check(address) ? 'reserved' : 'public'
}

function kindOfV6(address: string): AddressKind {
  const groups = toGroups(address)
  if (groups.slice(0, 7).every((group) => group === 0)) {
    return groups[7] === 1 ? 'loopback' : 'reserved'
  }
  if (CARRIES_V4.check(address, 'ipv6')) return kindOfV4(lastAsV4(groups))
  if (PRIVATE_V6.check(address, 'ipv6')) return 'private'
  if (!GLOBAL_V6.check(address, 'ipv6')) return 'reserved'
  return RESERVED_V6.check(address, 'ipv6') ? 'reserved' : 'public'
}

// The URL parser writes every spelling of an IPv6 address in one way, dotted tails included.
function toGroups(address: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = parseGroups(head)
  if (tail === undefined) return left
  const right = parseGroups(tail)
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

function parseGroups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

function lastAsV4(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

function ranges(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix = '0'] = subnet.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
