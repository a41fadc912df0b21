import { describe, expect, it } from 'vitest'
import { toRequest } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createApp } from '../http/app.ts'
import { rest } from '../surfaces/rest/surface.ts'

const TRUSTED = ['10.0.0.0/8', '2001:db8:1::/48', '127.0.0.1']

/** Tells whom the service takes for the caller of a request from a peer. */
async function ask(peer: string, headers: Readonly<Record<string, string>> = {}, more = {}) {
  let address: string | undefined
  const service = serviceOf(
    [defineFunction({ name: 'orders.list', version: '1.0.0', readOnly: true, handler: () => [] })],
    {
      authenticate: ({ peerAddress }) => {
        address = peerAddress?.()
        return { id: 'somebody' }
      },
    },
  )
  const app = createApp(service, {
    surfaces: [rest()],
    trustedProxies: TRUSTED,
    allowedHosts: ['api.example.com'],
    ...more,
  })
  const sent = toRequest(
    {},
    { path: '/api/orders.list', headers: { host: '10.0.0.9:4000', ...headers } },
  )
  const { status } = await app.handle({ ...sent, peerAddress: () => peer })
  return { status, address }
}

describe('the address of a caller', () => {
  it.each([
    ['an untrusted peer', '203.0.113.5', { 'x-forwarded-for': '198.51.100.1' }, '203.0.113.5'],
    ['an untrusted peer', '203.0.113.5', { forwarded: 'for=198.51.100.1' }, '203.0.113.5'],
    ['a proxy that says nothing', '10.0.0.1', {}, '10.0.0.1'],
    ['one proxy', '10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['one proxy', '10.0.0.1', { forwarded: 'for=198.51.100.1;proto=https' }, '198.51.100.1'],
    ['a mapped proxy', '::ffff:10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['a port', '10.0.0.1', { 'x-forwarded-for': '198.51.100.1:4711' }, '198.51.100.1'],
    ['IPv6', '2001:db8:1::7', { 'x-forwarded-for': '2001:db8:2::9' }, '2001:db8:2::9'],
    ['IPv6', '2001:db8:1::7', { forwarded: 'For="[2001:db8:2::9]:4711"' }, '2001:db8:2::9'],
    ['a neighbour', '2001:db8:2::7', { 'x-forwarded-for': '198.51.100.1' }, '2001:db8:2::7'],
    ['a chain', '10.0.0.1', { 'x-forwarded-for': '198.51.100.1, 10.0.0.2' }, '198.51.100.1'],
    [
      'a made up start',
      '10.0.0.1',
      { 'x-forwarded-for': '10.0.0.7, 198.51.100.1' },
      '198.51.100.1',
    ],
    ['a made up start', '10.0.0.1', { forwarded: 'for=1.1.1.1, for=198.51.100.1' }, '198.51.100.1'],
    ['only proxies', '10.0.0.1', { 'x-forwarded-for': '10.0.0.3, 10.0.0.2' }, '10.0.0.3'],
    ['nonsense', '10.0.0.1', { 'x-forwarded-for': 'evil' }, '10.0.0.1'],
    ['nonsense', '10.0.0.1', { 'x-forwarded-for': '' }, '10.0.0.1'],
    [
      'nonsense before a proxy',
      '10.0.0.1',
      { 'x-forwarded-for': '1.1.1.1, x, 10.0.0.2' },
      '10.0.0.2',
    ],
    ['a short spelling', '10.0.0.1', { 'x-forwarded-for': '127.1' }, '10.0.0.1'],
    ['a zone', '10.0.0.1', { 'x-forwarded-for': 'fe80::1%eth0' }, '10.0.0.1'],
    ['unknown', '10.0.0.1', { forwarded: 'for=unknown' }, '10.0.0.1'],
    ['hidden', '10.0.0.1', { forwarded: 'for=_secret, for=10.0.0.2' }, '10.0.0.2'],
    ['an open quote', '10.0.0.1', { forwarded: 'for="1.1.1.1, for=198.51.100.1' }, '10.0.0.1'],
    ['a pair twice', '10.0.0.1', { forwarded: 'for=1.1.1.1;for=198.51.100.1' }, '10.0.0.1'],
    [
      'both kinds',
      '10.0.0.1',
      { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '198.51.100.1' },
      '10.0.0.1',
    ],
    ['a huge header', '10.0.0.1', { 'x-forwarded-for': '1.1.1.1,'.repeat(1_000) }, '10.0.0.1'],
    ['other headers', '10.0.0.1', { 'x-real-ip': '1.1.1.1' }, '10.0.0.1'],
  ])('%s: %s %j is %s', async (_, peer, headers, address) => {
    expect(await ask(peer, headers as Record<string, string>)).toEqual({ status: 200, address })
  })

  it('is that of the peer when nobody is trusted', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    const { address } = await ask('10.0.0.1', headers, { trustedProxies: [] })
    expect(address).toBe('10.0.0.1')
  })
})

describe('host and scheme of a caller', () => {
  const page = { origin: 'https://api.example.com' }
  const said = { 'x-forwarded-host': 'api.example.com', 'x-forwarded-proto': 'https' }

  it.each([
    ['what a trusted proxy says', '10.0.0.1', said, 200],
    ['the same as Forwarded', '10.0.0.1', { forwarded: 'host=api.example.com;proto=https' }, 200],
    ['what anybody says', '203.0.113.5', said, 403],
    ['nothing', '10.0.0.1', {}, 403],
    ['another scheme', '10.0.0.1', { ...said, 'x-forwarded-proto': 'http' }, 403],
    ['a made up start', '10.0.0.1', { ...said, 'x-forwarded-proto': 'http, https' }, 200],
  ])('decide whether a page is our own: %s', async (_, peer, headers, status) => {
    expect((await ask(peer, { ...page, ...(headers as object) })).status).toBe(status)
  })

  it('must both be allowed: what was sent, and what the proxy says', async () => {
    expect((await ask('10.0.0.1', { 'x-forwarded-host': 'evil.example' })).status).toBe(403)
    const rebound = { host: 'evil.example', 'x-forwarded-host': 'api.example.com' }
    expect((await ask('10.0.0.1', rebound)).status).toBe(403)
  })

  it.each(['a b', 'api.example.com/x', 'x@api.example.com', '[::1', 'é'])(
    'ignore a host that is none: %s',
    async (host) => {
      expect((await ask('10.0.0.1', { 'x-forwarded-host': host })).status).toBe(200)
    },
  )
})

it.each([
  '10.0.0.0/33',
  '0.0.0.0/0',
  '::/0',
  'proxy.example.com',
  '10.0.0/8',
  '',
  '2001:db8::/129',
])('refuses "%s" as a trusted proxy', async (range) => {
  await expect(ask('10.0.0.1', {}, { trustedProxies: [range] })).rejects.toThrow(
    'trustedProxies: must be addresses or ranges such as 10.0.0.0/8',
  )
})
